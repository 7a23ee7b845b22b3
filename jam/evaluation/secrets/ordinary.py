"""Ordinary text without a secret, and text that looks as if it had one: what must not be touched."""

from __future__ import annotations

import base64
import hashlib
import string
import uuid
from random import Random

_PEOPLE = "Ann Bo Carla Dmitri Emre Fatima Goro Hanna Ines Jonas Kofi Lena Mei Noor Omar Priya".split()
_THINGS = (
    "boat garden report server kitchen meeting ticket invoice bicycle concert library parser harbour exam recipe "
    "window battery contract rehearsal deployment budget neighbour calendar migration bakery lecture suitcase "
    "dashboard "
).split()
_NOUNS = [*_THINGS, *"key token password secret account login session header".split()]
_VERBS = (
    "fixed moved painted reviewed postponed cancelled measured copied repaired rewrote found lost sold reset checked"
).split()
_ADJECTIVES = "late cheap broken second quiet green heavy new old slow private public shared empty missing weak".split()
_PLACES = "Oslo Lisbon the shed the office Hamburg the lab the café Kyoto the station upstairs".split()
_PROSE = (
    "~Person ~verb the ~adjective ~thing in ~place last week.",
    "I think the ~thing is ~adjective, but ~Person says it was ~adjective before.",
    "Could you remind me when we ~verb the ~thing? It must have been around the ~nth of May.",
    "We ~verb it twice; the second ~thing cost ~n euros and took ~n days.",
    "No, that's the ~adjective ~thing. The other one is at ~Person's place.",
    "How do I get from the ~thing to the ~thing without a ~thing?",
    "If the ~thing is ~adjective again, call ~Person on Monday and ask for the ~thing.",
)
_TALK = (
    "The password reset mail never arrived, so ~Person ~verb the account.",
    "my password is wrong, it says, and the token has expired",
    "You need a token for that; the secret is to keep the ~noun short.",
    "The key to a good ~noun is patience, the secret ingredient is ~adjective ~noun.",
    "Each prompt has about ~n tokens, max_tokens is ~n and the token limit was not reached.",
    "passwords are stored hashed, the password must have ~n characters",
    "Password: required. Username: required. Token: optional.",
    "What's the password policy? It should be at least ~n characters, I guess.",
    "The access token is valid for ~n minutes, the refresh token for ~n days.",
    "~Person forgot the password of the ~noun and asked for a new secret question.",
    "Wir haben den ~noun gestern repariert, das Passwort ist noch das alte.",
    "Das Passwort ist falsch, sagt ~Person, und der Schlüssel passt nicht.",
    "Le mot de passe est incorrect, il faut le changer avant ~n heures.",
    "La contraseña es demasiado corta; ~Person la cambiará mañana.",
    "A senha é muito fraca, precisa de ~n caracteres.",
    "Пароль не подходит, ~Person его уже сменил.",
    "密码不正确，请重新输入。",
    "パスワードが違います。もう一度入力してください。",
    "Passport and boarding pass are in the drawer; the bus pass: ~n euros.",
    "Bearer of bad news: the ~noun is ~adjective and basic ~noun is not enough.",
    "the author's keyword is authentic, its tokenizer passes, and keyboards are secretive",
)
_CODE = (
    "def ~noun(self, password: str, token: str | None = None) -> bool:",
    "    password = get_password(~noun)",
    "    token = request.headers.get('Authorization')",
    "    if not password or len(password) < ~n: raise ValueError('password too short')",
    "api_key = os.environ['~NOUN_API_KEY']",
    "api_key=settings.api_key, secret=config.secret, password=self.password)",
    "const token = await getToken(user.id);",
    "const { apiKey, secretKey } = process.env;",
    "password: process.env.DB_PASSWORD,",
    "password: z.string().min(8),",
    'password = getpass("Password: ")',
    "PASSWORD=${DB_PASSWORD}",
    "password: {{ vault_password }}",
    "API_KEY=YOUR_API_KEY",
    'OPENAI_API_KEY="your-api-key-here"',
    "token: <your token>",
    "password=xxxxxxxx",
    "password: ********",
    "SECRET_KEY=changeme",
    "export TOKEN=$(cat /run/secrets/token)",
    "  secretKeyRef: {name: ~noun-secret, key: password}",
    "Authorization: Bearer <token>",
    "headers = {'Authorization': f'Bearer {token}'}",
    'Authorization: "Bearer $TOKEN"',
    "postgres://user:password@localhost:5432/~noun",
    "postgres://$USER:$PASSWORD@~noun/db",
    "https://<user>:<password>@~noun.example",
    "self.tokenizer = AutoTokenizer.from_pretrained(model_name)",
    "tokens=~n, cached_tokens=~n, max_tokens: ~n, token_type_ids = None",
    "primary_key=True, foreign_key='~noun.id', sort_key: created_at, key=lambda row: row.~noun",
    'public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI~base64 ~noun"',
    "for key, value in sorted(data.items(), key=itemgetter(1)):",
    "import { passwordResetTokenExpirationInMinutes } from './userAccountSettings';",
    "@pytest.fixture(scope='session', params=['password', 'token'])",
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    '<input type="password" name="password" placeholder="Password">',
    "passwd: all authentication tokens updated successfully.",
    "usage: ~noun [--password PASSWORD] [--token TOKEN] [--api-key KEY]",
    "--password string   the password of the user",
    "tokenizer.pad_token = tokenizer.eos_token",
    "eos_token='<|endoftext|>', bos_token=\"<s>\", pad_token: [PAD]",
    "CREATE USER ~noun WITH PASSWORD :password;",
    "next_page_token: null, sync_token=None, csrf_token = ''",
)
_LIKE = (
    "commit ~sha1",
    "Merge ~sha1 into ~sha1",
    "sha256:~sha256",
    '"integrity": "sha512-~sha512=="',
    "~uuid",
    "request id ~uuid took ~n ms",
    "session_id=~uuid",
    '{"id": "~uuid", "etag": "~md5"}',
    "md5 ~md5  ~noun.tar.gz",
    "data:image/png;base64,~image",
    "/home/~noun/projects/~noun/node_modules/@~noun/~noun-utils/dist/index.min.js.map",
    "C:\\Users\\~Person\\AppData\\Local\\~noun\\~n\\~noun.dll",
    "https://~noun.example/~noun/~sha1/~noun.png?width=~n&height=~n",
    "https://docs.example/d/1~base62/edit#gid=~n",
    "toolu_01~base62",
    "msg_01~base62 stop_reason=tool_use",
    "call_~base62",
    "arn:aws:iam::~n~n~n:role/~noun-~noun-role",
    "var a=function(e,t,n){return e.t=n,t(e)};!function(){window.__~base62=1}();",
    "ThisIsAVeryLongClassNameForThe~Noun~NounFactoryBeanProvider",
    "a_rather_long_snake_case_name_of_the_~noun_~noun_~n",
    "tracking number 1Z~digits, order ~digits, invoice ~digits",
    "call me on +49 151 ~digits or 030 ~n ~n",
    "ISBN 978-3-16-148410-0, ticket #~n, build ~n.~n.~n-~n",
    "~nth row: ~n ~n ~n ~n ~n ~n",
    "2026-05-0~nT11:42:13.~nZ INFO [~noun] ~verb ~n of ~n (trace ~md5)",
    'ETag: W/"~md5"',
    "k8s.gcr.io/~noun@sha256:~sha256",
    "[the ~noun](https://~noun.example/~noun-~noun-~noun#~noun)",
    "0x~md5",
    "~base64line",
)


class Writer:
    """Writes ordinary text, a sentence or a line at a time."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def prose(self) -> str:
        """A sentence about this and that."""
        return self._filled(self.random.choice(_PROSE))

    def talk(self) -> str:
        """A sentence about passwords, keys and tokens that gives none."""
        return self._filled(self.random.choice(_TALK))

    def code(self) -> str:
        """A line of code or settings that names secrets and holds none."""
        return self._filled(self.random.choice(_CODE))

    def like_secrets(self) -> str:
        """What has the look of a secret and is none."""
        return self._filled(self.random.choice(_LIKE))

    def paragraph(self) -> str:
        """Some sentences, some lines of code, or a few of what looks like secrets."""
        kind = self.random.random()
        if kind < 0.6:
            sentence = [self.prose, self.talk]
            return " ".join(self.random.choice(sentence)() for _ in range(self.random.randrange(2, 7)))
        if kind < 0.85:
            return "\n".join(self.code() for _ in range(self.random.randrange(3, 9)))
        return "\n".join(self.like_secrets() for _ in range(self.random.randrange(1, 4)))

    def _filled(self, template: str) -> str:
        random = self.random
        parts = template.split("~")
        out = [parts[0]]
        for part in parts[1:]:
            name = next(name for name in _FILLERS if part.startswith(name))
            out.append(self._filler(name, random) + part[len(name) :])
        return "".join(out)

    def _filler(self, name: str, random: Random) -> str:
        payload = random.randbytes(8)
        if name in ("sha1", "sha256", "sha512", "md5"):
            digest = hashlib.new(name, payload, usedforsecurity=False)
            return base64.b64encode(digest.digest()).decode()[:86] if name == "sha512" else digest.hexdigest()
        if name == "uuid":
            return str(uuid.UUID(bytes=random.randbytes(16), version=4))
        if name == "image":
            return "iVBORw0KGgo" + base64.b64encode(random.randbytes(600)).decode()
        if name == "base64line":
            return base64.b64encode(random.randbytes(57)).decode()
        if name == "base64":
            return base64.b64encode(random.randbytes(33)).decode()
        if name == "base62":
            return "".join(random.choices(string.ascii_letters + string.digits, k=22))
        if name == "digits":
            return "".join(random.choices(string.digits, k=random.choice([7, 10, 12])))
        if name == "nth":
            return f"{random.randrange(4, 20)}th"
        if name == "n":
            return str(random.randrange(1, 9000))
        return _word(name, random)


def _word(name: str, random: Random) -> str:
    lists = {
        "person": _PEOPLE,
        "noun": _NOUNS,
        "thing": _THINGS,
        "verb": _VERBS,
        "adjective": _ADJECTIVES,
        "place": _PLACES,
    }
    word = random.choice(lists[name.lower()])
    if name.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if name[0].isupper() else word


_FILLERS = (
    "sha1 sha256 sha512 md5 uuid image base64line base64 base62 digits nth Person person thing noun Noun NOUN verb "
    "adjective place n"
).split()
