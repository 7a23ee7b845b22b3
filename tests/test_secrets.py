"""Secrets in text: each kind in its places, what must be left alone, and that hostile text costs no more than other."""

from __future__ import annotations

import random
import string
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.secrets import MARK, Redactor, find_secrets, redact, redact_payload, redact_session
from jam.session import Attachment, Message, Session

LETTERS = string.ascii_letters + string.digits


def made(count: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """So many characters by chance."""
    return "".join(random.Random(seed).choices(alphabet, k=count))


HEX = "0123456789abcdef"
KEY = "q7Zr2LmX9vKd4TnB8wHs1YpCf6Ge3UaJ"
JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.{made(43)}"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{made(64)}\n{made(64, seed=8)}\n-----END RSA PRIVATE KEY-----"
AZURE = made(86) + "=="

FORMS = {
    "aws access key": ["AKIA" + made(16, string.ascii_uppercase + "234567"), "ASIAQ3EGRTZJ5K7WNX2B"],
    "github token": [f"ghp_{made(36)}", f"gho_{made(36)}", f"github_pat_{made(22)}_{made(59)}"],
    "gitlab token": [f"glpat-{made(20)}"],
    "slack token": [f"xoxb-123456789012-{made(24)}", f"xoxp-1-2-3-{made(32, HEX)}", f"xapp-1-A1-2-{made(64, HEX)}"],
    "slack webhook": [f"https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/{made(24)}"],
    "discord webhook": [f"https://discord.com/api/webhooks/123456789012345678/{made(68)}"],
    "openai key": [f"sk-proj-{made(80)}", f"sk-{made(20)}T3BlbkFJ{made(20)}"],
    "api key": [f"sk-{made(48)}"],
    "anthropic key": [f"sk-ant-api03-{made(93)}AA"],
    "hugging face token": [f"hf_{made(34, string.ascii_letters)}"],
    "google key": [f"AIza{made(35)}"],
    "stripe key": [f"sk_live_{made(24)}", f"rk_test_{made(24)}"],
    "npm token": [f"npm_{made(36)}"],
    "pypi token": [f"pypi-AgEIcHlwaS5vcmc{made(100)}"],
    "telegram token": [f"123456789:AA{made(33)}"],
    "discord token": [f"MT{made(22)}.{made(6)}.{made(38)}"],
    "twilio key": [f"SK{made(32, HEX)}"],
    "sendgrid key": [f"SG.{made(22)}.{made(43)}"],
    "mailgun key": [f"key-{made(32, HEX)}"],
    "jwt": [JWT],
    "vault token": [f"hvs.{made(24)}"],
    "digitalocean token": [f"dop_v1_{made(64, HEX)}"],
    "groq key": [f"gsk_{made(52)}"],
    "private key": [PEM, PEM.replace("\n", "\\n"), PEM.replace("RSA ", "OPENSSH ")],
}
PLACES = [
    "{}",
    "use {} for it.",
    '"{}"',
    "`{}`",
    '{{"value": "{}"}}',
    "https://example.org/x?value={}&y=1",
    "export VALUE={}",
    "line one\\n{}\\nline three",
    "密码学：{}，好",
    "see [this](https://example.org/?a={})",
]


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("place", PLACES)
def test_a_token_is_known_by_its_form_wherever_it_stands(kind: str, place: str):
    for value in FORMS[kind]:
        text = place.format(value)
        redacted, counts = redact(text)
        assert redacted == place.format(f"{MARK}{kind}]"), text
        assert counts == {kind: 1}


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ('password = "hunter2"', "hunter2", "password"),
        ("DB_PASSWORD=swordfish", "swordfish", "password"),
        ("export PGPASSWORD='s3cret!x'", "s3cret!x", "password"),
        ('{"user": "ann", "password": "tr0ub4dor&3"}', "tr0ub4dor&3", "password"),
        ('{\\"password\\": \\"tr0ub4dor&3\\"}', "tr0ub4dor&3", "password"),
        ("password: hunter2", "hunter2", "password"),
        ("  db_password: 'correct horse battery staple'", "correct horse battery staple", "password"),
        ("mysqldump --password=hunter22 db", "hunter22", "password"),
        ("app login --password hunter22", "hunter22", "password"),
        ("PGPASSWORD=hunter22 psql -h db", "hunter22", "password"),
        ("mysql -u root -p'hunter22' db", "hunter22", "password"),
        ("mysql -u root -phunter22 db", "hunter22", "password"),
        ("sshpass -p hunter22 ssh ann@host", "hunter22", "password"),
        ("curl -u ann:hunter22 https://example.org", "hunter22", "password"),
        ("echo 'hunter22' | sudo -S ls", "hunter22", "password"),
        ("Server=db;User Id=sa;Password=Hunter!22;", "Hunter!22", "password"),
        ("<password>hunter22</password>", "hunter22", "password"),
        ("'passwd' => 'hunter22',", "hunter22", "password"),
        ('config["password"] = "hunter22"', "hunter22", "password"),
        ('props.put("password", "hunter22");', "hunter22", "password"),
        ('PASSWORD: Final[str] = "hunter22"', "hunter22", "password"),
        ("https://example.org/login?user=ann&password=hunter22&x=1", "hunter22", "password"),
        ("my password is hunter2", "hunter2", "password"),
        ("My password is swordfish.", "swordfish", "password"),
        ("the wifi password: hunter22", "hunter22", "password"),
        ("the password for db.example.org is hunter22, keep it", "hunter22", "password"),
        ("I set the password to Hunter!22 yesterday", "Hunter!22", "password"),
        ("log in with the password Hunter!22", "Hunter!22", "password"),
        ("Hunter!22 is my password", "Hunter!22", "password"),
        ("I use Hunter!22 as my password", "Hunter!22", "password"),
        ("**Password:** hunter22", "hunter22", "password"),
        ("Password:\n\n    hunter22\n", "hunter22", "password"),
        ("mein Passwort ist hunter22", "hunter22", "password"),
        ("das WLAN-Kennwort lautet hunter22", "hunter22", "password"),
        ("mon mot de passe est hunter22", "hunter22", "password"),
        ("mi contraseña es hunter22", "hunter22", "password"),
        ("la clave del wifi es hunter22", "hunter22", "password"),
        ("minha senha é hunter22", "hunter22", "password"),
        ("мой пароль hunter22", "hunter22", "password"),
        ("пароль от почты: Зима2024!", "Зима2024!", "password"),
        ("我的密码是hunter22，别外传", "hunter22", "password"),
        ("パスワードはhunter22です", "hunter22", "password"),
        ("Mot de passe\u00a0: Hunter!22", "Hunter!22", "password"),
        ("my password\u202fis\u2009hunter22", "hunter22", "password"),
        ("mon mot\u00a0de\u00a0passe est hunter22", "hunter22", "password"),
        ("my pass\u200bword: hunter22", "hunter22", "password"),
        ("password: \x1b[33mhunter22\x1b[0m", "hunter22", "password"),
        ("\x1b[1mPASSWORD\x1b[0m=\x1b[38;5;208mhunter22\x1b[0m", "hunter22", "password"),
        ('{"log": "password: \\u001b[33mhunter22\\u001b[0m"}', "hunter22", "password"),
        ("the password is &quot;Hunter!22&quot;", "Hunter!22", "password"),
        ("password&#58; hunter22", "hunter22", "password"),
        ("?user=ann&amp;password=hunter22&amp;x=1", "hunter22", "password"),
        ("PASSWORD\\u003dhunter22", "hunter22", "password"),
        ("{\\u0022password\\u0022: \\u0022hunter22\\u0022}", "hunter22", "password"),
        ("password: |\n  hunter22\n", "hunter22", "password"),
        ("db_password: >-\n    hunter22", "hunter22", "password"),
        (f"api_key: |\n  {KEY}\n", KEY, "api key"),
        ("password:\n  value: hunter22", "hunter22", "password"),
        ("- name: DB_PASSWORD\n  value: hunter22\n", "hunter22", "password"),
        ('{"name": "DB_PASSWORD", "value": "hunter22"}', "hunter22", "password"),
        ("docker login -u ann -p hunter22 registry.example.org", "hunter22", "password"),
        ("az login --service-principal -u ann -p hunter22", "hunter22", "password"),
        ("smbclient //srv/share -U ann%hunter22", "hunter22", "password"),
        ("htpasswd -b users ann hunter22", "hunter22", "password"),
        ("htpasswd -nbB ann swordfish", "swordfish", "password"),
        ("net use z: \\\\srv\\share hunter22 /user:ann", "hunter22", "password"),
        ("net use z: \\\\srv\\share /user:ann hunter22", "hunter22", "password"),
        ("sshpass -p swordfish ssh ann@host", "swordfish", "password"),
        ("redis-cli -h cache -a hunter22 ping", "hunter22", "password"),
        ("ldapsearch -x -D cn=ann -w hunter22", "hunter22", "password"),
        ("net user ann hunter22 /add", "hunter22", "password"),
        ("mariadb -u root -phunter22", "hunter22", "password"),
        ("wpa_passphrase home hunter22", "hunter22", "password"),
        ("username/password: ann / hunter22", "hunter22", "password"),
        ("creds: ann:hunter/22", "hunter/22", "password"),
        ("password: ^[[33mhunter22^[[0m", "hunter22", "password"),
        ("unzip -P hunter22 a.zip", "hunter22", "password"),
        ('network={\n  ssid="home"\n  psk="hunter22"\n}', "hunter22", "password"),
        ("WIFI:S:Home;T:WPA;P:swordfish;;", "swordfish", "password"),
        ("our DB password is\nhunter22", "hunter22", "password"),
        ("creds: ann:hunter22", "hunter22", "password"),
        ("the credentials are ann / hunter22", "hunter22", "password"),
        ("The password is 'correct horse battery staple'", "correct horse battery staple", "password"),
        ("the password is “correct horse battery staple”, ok?", "correct horse battery staple", "password"),
        ("salasana on hunter22", "hunter22", "password"),
        ("a jelszavam: hunter22", "hunter22", "password"),
        ("min adgangskode er hunter22", "hunter22", "password"),
        ("moja lozinka je hunter22", "hunter22", "password"),
        ("моја лозинка: hunter22", "hunter22", "password"),
        ("parola mea este hunter22", "hunter22", "password"),
        ("wifi parolası: hunter22", "hunter22", "password"),
        ("kata sandi saya adalah hunter22", "hunter22", "password"),
        ("הסיסמה שלי היא hunter22", "hunter22", "password"),
        ("รหัสผ่านคือ hunter22", "hunter22", "password"),
        ("मेरा पासवर्ड hunter22 है", "hunter22", "password"),
        ("আমার পাসওয়ার্ড: hunter22", "hunter22", "password"),
        ("رمز عبور: hunter22", "hunter22", "password"),
        ("mật khẩu của tôi là hunter22", "hunter22", "password"),
        ("slaptažodis yra hunter22", "hunter22", "password"),
        ('lozinka = "hunter22"', "hunter22", "password"),
        (f'api_key = "{made(32, HEX)}"', made(32, HEX), "api key"),
        (f"X-API-Key: {KEY}", KEY, "api key"),
        (f"the api key for the new server is {KEY}", KEY, "api key"),
        (f"here is my API key:\n\n{KEY}\n", KEY, "api key"),
        (f"MAPS_KEY={KEY}", KEY, "api key"),
        (f"client_secret: {KEY}", KEY, "secret"),
        (f"my twilio token is {made(32, HEX)}, ok?", made(32, HEX), "token"),
        (f"app --token {KEY} run", KEY, "token"),
        (f"https://example.org/?access_token={KEY}&x=1", KEY, "token"),
        (f"aws_secret_access_key = {made(40)}", made(40), "aws secret key"),
        (f"AccountName=x;AccountKey={AZURE};EndpointSuffix=core", AZURE, "azure key"),
        (f"Authorization: Bearer {KEY}", KEY, "bearer token"),
        (f'{{"Authorization": "Bearer {KEY}"}}', KEY, "bearer token"),
        (f"authorization: token {made(40, HEX)}", made(40, HEX), "bearer token"),
        ("Authorization: Basic YW5uOmh1bnRlcjIy", "YW5uOmh1bnRlcjIy", "basic credentials"),
        ("postgres://ann:hunter22@db:5432/x", "hunter22", "password in an address"),
        ("mongodb+srv://ann:p@ss!22@db.example.org/?w=1", "p@ss!22", "password in an address"),
        ("redis://:hunter22@db:6379/0", "hunter22", "password in an address"),
        ("see https://ann:hunter22@example.org/x.git.", "hunter22", "password in an address"),
        ("my card is 4242 4242 4242 4242", "4242 4242 4242 4242", "card number"),
        ("visa 4242424242424242", "4242424242424242", "card number"),
        ("IBAN: DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00", "bank account"),
        ("my SSN is 123-45-6789", "123-45-6789", "social security number"),
    ],
)
def test_a_secret_is_known_by_what_the_text_calls_it(text: str, secret: str, kind: str):
    found = find_secrets(text)
    assert [(text[s.start : s.end], s.kind) for s in found] == [(secret, kind)]


def test_both_halves_of_a_pair_of_aws_keys_are_found():
    access, secret = "AKIAQ3EGRTZJ5K7WNX2B", "Ab3/" + made(36)
    text = f"Access key ID,Secret access key\n{access},{secret}\n"
    redacted, counts = redact(text)
    assert redacted == "Access key ID,Secret access key\n[redacted: aws access key],[redacted: aws secret key]\n"
    assert counts == {"aws access key": 1, "aws secret key": 1}


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=YOUR_API_KEY",
        'OPENAI_API_KEY="your-api-key-here"',
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "token: <token>",
        "password=${DB_PASSWORD}",
        "password=$DB_PASSWORD",
        "password: {{ vault.password }}",
        "password=********",
        "password=xxxxxxxx",
        "SECRET_KEY=changeme",
        "api_key = os.environ['API_KEY']",
        "password: process.env.DB_PASSWORD,",
        "def login(user, password: str, token: str | None = None) -> None:",
        "    password = get_password(user)",
        "connect(password=password, secret=config.secret, token=self.token)",
        "password == other_password",
        'password = getpass("Password: ")',
        "password: z.string().min(8),",
        '{"password": "string", "token": null}',
        '"forgotPassword": "Forgot your password?",',
        '("user", "password", "host")',
        "usage: app [--password PASSWORD] [--token TOKEN]",
        "  --password string   the password of the user",
        "the password reset mail has not come",
        "my password is wrong, it says",
        "the password is stored hashed, with SHA-256",
        "the password is 8-12 characters long",
        "send the password to ann@example.org",
        "Password: required. Token: optional.",
        "The key to success is patience, the secret is practice.",
        "max_tokens=4096, eos_token='<|endoftext|>', tokens: 12345",
        "primary_key=True, sort_key: created_at, key=lambda row: row.name",
        "Bearer of bad news",
        "Authorization: Bearer <token>",
        "headers = {'Authorization': f'Bearer {token}'}",
        "postgres://user:password@localhost/db",
        "postgres://$USER:$PASSWORD@db/x",
        "http://example.org:8080/a@b",
        "git@github.com:ann/repo.git and ssh://git@host:22/x",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "the token was in commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "session_id=123e4567-e89b-42d3-a456-426614174000",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        '"integrity": "sha512-yYstRFZNjLN1XzPVPVlFFofWjDXhKAkxCVxQC5gmyLdGVtEqrzXwZxnZQBtY5ePps8Ja3WE=="',
        'public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIa6VmyJKdlCtgFpNeBg2L25p9ptz7J6F94vRp ann"',
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\n" + made(64) + "\n-----END CERTIFICATE-----",
        "toolu_01A09q90qw90lq917835lq9 and msg_013Zva2CMHLNnXjNJJKqJ2EF",
        "/home/ann/projects/token/secret-service/dist/index.min.js.map",
        "import { passwordResetTokenExpirationInMinutes } from './settings';",
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:Prod/Db-a1B2c3",
        "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
        "call me on +49 151 40225821 or 030 1990 2018; order 4242424242424243",
        "2026-05-03T11:42:13.5645Z INFO [auth] token refreshed in 7443 ms",
        "i-need-a-new-password ~2647.md",
        "moved to how-to-reset-a-password ~80fe41aa.memo.md",
        '---\njam: 1\nraw: "2024-05-01 my-password-is Hunter22 ~2647.md"\n',
        "- 1 May · [Router](<wifi/the-password-is hunter22-again ~2647.md>) · 2 parts",
        "Password: required|min:8",
        "'password' => 'required|string|min:8|confirmed',",
        'Password string `validate:"required,min=8,max=64"`',
        "The boarding pass: LH2034 seat 14C. My day pass: B12345.",
        "token: &lt;token&gt;, password: &quot;&quot;",
        "if (a &amp;&amp; password &lt; 10)",
        "password: \x1b[2m(hidden)\x1b[0m",
        "docker login -u ann -p $TOKEN and iptables login -p tcp",
        "smbclient -U ann //srv/share; net use z: \\\\srv\\share /user:ann",
        "htpasswd -c users ann",
        "the password is\nstored with SHA-256\n",
        "credentials: 'same-origin'; creds: s3://bucket1/x; the credentials are read/write2 only",
        "net user ann * /add; the net user experience 2024b; mariadb -u root",
        "WPA2-PSK AES256 or WPA-PSK: TKIP",
        '{"password": {"type": "string", "value": null}}',
        "WIFI:S:Guests;T:nopass;;",
        "Salasana on väärä. La parola d'ordine era bella. Lozinka nije ispravna. Kata sandi salah.",
        "סיסמה שגויה. รหัสผ่านไม่ถูกต้อง पासवर्ड गलत है",
        "Das Passwort ist falsch. Le mot de passe est incorrect. La contraseña es corta. A senha é fraca.",
        "Пароль не подходит. 密码不正确，请重新输入。 パスワードが違います。",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text: str):
    assert [text[s.start : s.end] for s in find_secrets(text)] == []


def test_what_overlaps_is_one_secret_named_by_its_form():
    text = f"Authorization: Bearer {JWT}"
    assert redact(text) == ("Authorization: Bearer [redacted: jwt]", {"jwt": 1})


ATOMS = st.sampled_from(
    [
        *(
            "password",
            "passwd=",
            "my password is ",
            "token",
            "api_key: ",
            "secret ",
            "key ",
            "Bearer ",
            "пароль ",
            "密码",
            "parola ",
            "creds: ann:",
            "docker login -p ",
        ),
        *(
            " ",
            "\n",
            ": ",
            "=",
            '"',
            "'",
            "\\",
            "**",
            "@",
            "://",
            "/",
            ",",
            "]",
            "[",
            "curl -u ",
            "-----BEGIN ",
            "_",
            "-",
        ),
        *("\x1b[1m", "\x1b[0m", "\u00a0", "&quot;", "&#58;", "\\u003d", "\u200b", "|", ">", "value: "),
        *("hunter22", "AKIA" + "Q2" * 8, f"ghp_{made(36)}", KEY, made(40, HEX), "4242 4242 4242 4242", JWT, PEM),
        *("[redacted: password]", MARK, "redacted"),
    ]
)


@given(st.lists(ATOMS | st.text(max_size=8), max_size=14).map("".join))
def test_redacting_again_changes_nothing(text: str):
    once, counts = redact(text)
    assert redact(once) == (once, {})
    assert (once == text) == (not counts)


@given(st.text())
def test_any_text_comes_through(text: str):
    redacted, counts = redact(text)
    assert counts or redacted == text


@given(st.text(alphabet="ab =:\n", max_size=40), st.text(alphabet="ab =:\n", max_size=40))
def test_what_is_found_does_not_depend_on_where_in_a_long_text_it_stands(before: str, after: str):
    secret = f"ghp_{made(36)}"
    for length in (0, 65_500, 65_536, 66_000, 131_000):
        text = f"{'x ' * (length // 2)}{before} {secret} {after}"
        assert secret not in redact(text)[0]


HOSTILE = [
    "password ",
    "password: ",
    "token=",
    "my password is ",
    "my api key ",
    'password="',
    'password="\\"',
    "://a:",
    "://a:b@",
    "sk-",
    "eyJ-",
    "AKIAQ3EGRTZJ5K7WNX2B ",
    "-----BEGIN PRIVATE KEY-----\n",
    "authorization: bearer ",
    "curl ",
    "mysql ",
    "sudo -",
    "4242 ",
    "DE89 3704 ",
    "пароль для ",
    "密码",
    "a",
    " ",
    "\\",
    "[redacted: ",
    "docker login ",
    "net use ",
    "client ",
    "htpasswd -b ",
    "net user ",
    "mariadb ",
    "user/password: ",
    "creds: a:",
    "wifi:",
    "WIFI:A:;",
    "parola ",
    "पासवर्ड ",
    "password\u00a0",
    "password &amp;",
    "\x1b[1mpassword",
    "\\u0022",
    "](password ",
    "password: |\n",
    "password value: ",
    "password: required|",
    "password is '",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_time_grows_with_the_length_of_hostile_text_only(unit: str):
    """Were the time quadratic, it would be minutes."""
    text = unit * (300_000 // len(unit))
    began = time.process_time()
    find_secrets("password is " + text)
    assert time.process_time() - began < 20


def test_a_very_long_text_takes_little_memory():
    text = "The quick brown fox reads a page. " * 600_000
    tracemalloc.start()
    find_secrets(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(text) > 20_000_000
    assert peak < 4_000_000


def test_a_session_keeps_its_ids_and_loses_its_secrets():
    message = Message(
        "user",
        "my password is hunter2",
        id="token=abcdef123456",
        meta={"cwd": "/home", "env": {"API_KEY": KEY, "PORT": 80}, "args": ["--token", f"ghp_{made(36)}"]},
        attachments=(Attachment("0" * 64, "text/plain", 3, f"key-{made(32, HEX)}.txt"),),
    )
    session = Session(
        "password=hunter22", (message, Message("user", "hello")), title=f"About ghp_{made(36)}", meta={"x": 1}
    )
    clean, counts = redact_session(session)
    assert clean.id == "password=hunter22"
    assert clean.title == "About [redacted: github token]"
    assert clean.messages[0].text == "my password is [redacted: password]"
    assert clean.messages[0].id == "token=abcdef123456"
    assert clean.messages[0].meta == {
        "cwd": "/home",
        "env": {"API_KEY": "[redacted: api key]", "PORT": 80},
        "args": ["--token", "[redacted: github token]"],
    }
    assert clean.messages[0].attachments[0].name == "[redacted: mailgun key].txt"
    assert clean.messages[1] is session.messages[1]
    assert counts == {"github token": 2, "password": 1, "api key": 1, "mailgun key": 1}
    assert redact_session(clean) == (clean, {})


def test_tokens_in_ids_and_names_get_marks_that_tell_them_apart():
    first, second = f"ghp_{made(36)}", f"ghp_{made(36, seed=8)}"

    def session(token: str) -> Session:
        message = Message("user", "hello", id=f"m/{token}", speaker=f"Ann {token}", thread=f"t-{token}")
        return Session(f"chat:{token}", (message,), group=("team", f"Chat {token}"), meta={"cwd": f"/home/{token}"})

    clean, counts = redact_session(session(first))
    mark = clean.id.removeprefix("chat:")
    assert mark.startswith("[redacted: github token ")
    assert clean.group == ("team", f"Chat {mark}")
    assert clean.meta == {"cwd": "/home/[redacted: github token]"}
    (message,) = clean.messages
    assert (message.id, message.speaker, message.thread) == (f"m/{mark}", f"Ann {mark}", f"t-{mark}")
    assert counts == {"github token": 6}
    assert redact_session(session(first))[0] == clean
    assert redact_session(clean) == (clean, {})
    other = redact_session(session(second))[0]
    assert other.id != clean.id
    assert other.group != clean.group
    assert second not in repr(other)


def test_names_of_people_and_chats_lose_passwords_too():
    session = Session("s", (Message("user", "x", speaker="password: hunter22"),), group=("the password is hunter22",))
    clean = redact_session(session)[0]
    assert clean.group == ("the password is [redacted: password]",)
    assert clean.messages[0].speaker == "password: [redacted: password]"


def test_an_id_that_is_the_name_of_a_file_stays_as_it_is():
    name = f"ghp_{made(36)}.md"
    session = Session(f"{name}#2", (Message("user", "hello"),), origin=name)
    assert redact_session(session)[0] is session


@given(
    st.lists(st.sampled_from(["\x1b[1m", "\u00a0", "&amp;", "&#58;", "\\u003d", "a", " ", "é", "\u200b"]), max_size=20)
)
def test_what_hides_around_a_token_stays_and_the_token_goes(parts: list[str]):
    around = "".join(parts)
    token = f"ghp_{made(36)}"
    assert redact(f"{around} {token} {around}")[0] == f"{around} [redacted: github token] {around}"


def test_a_session_without_secrets_is_the_same_object():
    session = Session("s", (Message("user", "hello", meta={"a": [1, {"b": "c"}]}),), title="Hello")
    assert redact_session(session)[0] is session


@pytest.mark.parametrize(
    ("payload", "media_type", "expected"),
    [
        (b"password=hunter22\n", "text/plain", b"password=[redacted: password]\n"),
        (b'{"password": "hunter22"}', "application/json", b'{"password": "[redacted: password]"}'),
        (b"password=hunter22", "application/vnd.x+json; charset=utf-8", b"password=[redacted: password]"),
        (b"password=hunter22", "", b"password=[redacted: password]"),
        (b"caf\xe9 password=hunter22", "text/plain", b"caf\xe9 password=[redacted: password]"),
        (
            "\ufeffpassword=hunter22".encode("utf-16-le"),
            "text/plain",
            "\ufeffpassword=[redacted: password]".encode("utf-16-le"),
        ),
        (b"password=hunter22", "image/png", b"password=hunter22"),
        (b"\0\xffpassword=hunter22", "application/octet-stream", b"\0\xffpassword=hunter22"),
        (b"", "text/plain", b""),
    ],
)
def test_a_payload_that_is_text_loses_its_secrets(payload: bytes, media_type: str, expected: bytes):
    assert redact_payload(payload, media_type)[0] == expected


@given(st.binary(max_size=60), st.sampled_from(["text/plain", "application/json", "", "image/png"]))
def test_any_payload_comes_through(payload: bytes, media_type: str):
    redacted, counts = redact_payload(payload, media_type)
    assert counts or redacted == payload


def test_what_is_spilled_is_redacted_first_and_counted():
    kept: list[bytes] = []

    def spill(payload: bytes, media_type: str, name: str | None) -> Attachment:
        kept.append(payload)
        return Attachment("0" * 64, media_type, len(payload), name)

    redactor = Redactor()
    attachment = redactor.spill(spill)(b"password=hunter22", "text/plain", "notes.txt")
    assert kept == [b"password=[redacted: password]"]
    assert attachment.size == len(kept[0])
    assert redactor.taken() == {"password": 1}
    assert redactor.taken() == {}
