"""The public forms of tokens: of each its issuer, its first two characters, and all of it."""

from __future__ import annotations

_W = r"[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_H = "[0-9a-f]"

SURE: tuple[tuple[str, str, str], ...] = (
    ("aws access key", "AK AS AB AC", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github token", "gh gi", rf"gh[pousr]_{_A}{{30,255}}|github_pat_{_W}{{40,255}}"),
    (
        "gitlab token",
        "gl",
        rf"gl(?:pat|dt|rt|rtr|ptt|ft|soat|cbt|imt|agent|oas|ffct)-{_W}{{20,}}(?:\.{_A}{{2}}\.{_A}{{7,}})?",
    ),
    ("gitlab token", "GR", rf"GR1348941{_W}{{20,}}"),
    (
        "slack token",
        "xo xa xw",
        r"xox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}|xwfp-[A-Za-z0-9-]{20,}",
    ),
    ("anthropic key", "sk", rf"sk-ant-{_W}{{20,}}"),
    ("openai key", "sk", rf"sk-(?:proj|svcacct|admin|None)-{_W}{{20,}}|sk-{_A}{{10,40}}T3BlbkFJ{_A}{{10,}}"),
    ("openrouter key", "sk", rf"sk-or-{_W}{{20,}}"),
    ("langfuse key", "sk", r"sk-lf-[0-9a-f-]{30,}"),
    ("hugging face token", "hf ap", rf"(?:hf_|api_org_){_A}{{30,}}"),
    ("google key", "AI", rf"AIza{_W}{{30,}}"),
    ("google client secret", "GO", rf"GOCSPX-{_W}{{20,}}"),
    ("google token", "ya AQ", rf"ya29\.{_W}{{20,}}|AQ\.Ab8R{_W}{{30,}}"),
    ("stripe key", "sk rk", rf"[sr]k_(?:live|test|prod)_{_A}{{10,}}|sk_org_{_W}{{20,}}"),
    ("stripe key", "wh", r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("npm token", "np", f"npm_{_A}{{30,}}"),
    ("pypi token", "py", rf"pypi-A{_W}{{40,}}"),
    ("rubygems key", "ru", f"rubygems_{_H}{{40,}}"),
    ("docker token", "dc", rf"dckr_(?:pat|oat)_{_W}{{20,}}"),
    ("sendgrid key", "SG", rf"SG\.{_W}{{16,32}}\.{_W}{{30,}}"),
    ("mailgun key", "ke", f"key-{_H}{{32}}(?!{_A})"),
    ("brevo key", "xk", f"xkeysib-{_H}{{40,}}-{_A}{{10,}}"),
    ("twilio key", "SK", f"SK{_H}{{32}}(?!{_A})"),
    ("digitalocean token", "do", f"do[opr]_v1_{_H}{{60,}}"),
    ("databricks token", "da", rf"dapi{_H}{{32}}(?:-\d)?(?!{_A})"),
    ("shopify token", "sh", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}"),
    ("square token", "sq", rf"sq0[a-z]{{3}}-{_W}{{22,}}"),
    ("linear key", "li", f"lin_(?:api|oauth)_{_A}{{30,}}"),
    ("notion token", "nt se", f"ntn_{_A}{{40,}}|secret_{_A}{{43}}(?!{_A})"),
    ("atlassian token", "AT", rf"AT[AC]TT3[\w=-]{{60,}}|ATBB{_A}{{32,}}"),
    ("figma token", "fi", rf"fig[dou]r?_{_W}{{35,}}"),
    ("dropbox token", "sl", rf"sl\.(?:u\.)?{_W}{{60,}}"),
    ("grafana token", "gl", rf"glsa_{_A}{{32}}_{_A}{{8}}|glc_[A-Za-z0-9+/=]{{40,}}"),
    ("new relic key", "NR", "NRAK-[A-Z0-9]{25,}|NRII-[A-Za-z0-9_-]{30,}"),
    ("sentry token", "sn", "sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("vault token", "hv", rf"hv[sbr]\.{_W}{{20,}}"),
    ("doppler token", "dp", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:{_W}{{2,35}}\.)?{_A}{{40,}}"),
    ("planetscale token", "ps", r"pscale_(?:tkn|pw|oauth)_[\w.-]{30,}"),
    ("postman key", "PM", f"PMAK-{_H}{{24}}-{_H}{{34}}"),
    ("pulumi token", "pu", f"pul-{_H}{{40}}"),
    ("age key", "AG", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("groq key", "gs", f"gsk_{_A}{{40,}}"),
    ("xai key", "xa", f"xai-{_A}{{60,}}"),
    ("perplexity key", "pp", f"pplx-{_A}{{40,}}"),
    ("replicate token", "r8", f"r8_{_A}{{35,}}"),
    ("nvidia key", "nv", rf"nvapi-{_W}{{50,}}"),
    ("langsmith key", "ls", f"lsv2_(?:pt|sk)_{_H}{{32}}_{_H}{{10}}|ls__{_H}{{32}}"),
    ("tavily key", "tv", rf"tvly-{_W}{{20,}}"),
    ("jina key", "ji", f"jina_{_A}{{40,}}"),
    ("e2b key", "e2", f"e2b_{_H}{{40}}"),
    ("supabase token", "sb", rf"sbp_(?:v0_)?{_H}{{40}}|sb_secret_{_W}{{20,}}"),
    ("netlify token", "nf", f"nf[pco]_{_A}{{36,}}"),
    ("fly.io token", "fo fm", r"fo1_[\w-]{40,}|fm[12]_[A-Za-z0-9+/=_-]{40,}"),
    ("airtable token", "pa", rf"pat{_A}{{14}}\.{_H}{{64}}"),
    ("1password token", "op", rf"ops_eyJ{_W}{{40,}}"),
    ("mapbox token", "sk", rf"sk\.eyJ{_W}{{20,}}\.{_W}{{20,}}"),
    ("plaid token", "ac", "access-(?:sandbox|development|production)-[0-9a-f-]{36}"),
    ("hubspot token", "pa", r"pat-(?:na|eu|ap)\d-[0-9a-f-]{36}"),
    ("facebook token", "EA", f"(?<![/+])EAA[A-Z]{_A}{{80,}}"),
    ("twitter token", "AA", "A{20,24}[A-Za-z0-9]{5,40}%[23][A-F0-9][A-Za-z0-9%]{30,}"),
    ("alibaba key", "LT", f"LTAI{_A}{{12,26}}(?!{_A})"),
    ("yandex key", "AQ", rf"AQVN{_W}{{35,}}"),
    ("tailscale key", "ts", f"tskey-(?:auth|api|client|scim|webhook)-{_A}{{8,}}-{_A}{{20,}}"),
    ("sourcegraph token", "sg", f"sgp_(?:{_A}{{16}}_)?{_H}{{40}}"),
    ("artifactory key", "AK", f"AKCp{_A}{{60,}}"),
    ("buildkite token", "bk", f"bk(?:ua|ct|aj)_{_A}{{38,}}"),
    ("heroku key", "HR", rf"HRKU-{_W}{{30,}}"),
    ("contentful token", "CF", rf"CFPAT-{_W}{{40,}}"),
    ("typeform token", "tf", rf"tfp_{_W}{{40,}}"),
    ("circleci token", "CC", f"CCI(?:PAT|PRJ)_{_A}{{20,}}_{_H}{{30,}}"),
    ("discord token", "mf", rf"mfa\.{_W}{{80,}}"),
    ("jwt", "ey", rf"eyJ{_W}{{10,1000}}+\.{_W}{{10,}}(?:\.{_W}{{8,}}){{0,3}}"),
)

_DISCORD = " ".join(
    first + second for first in "MNO" for second in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)
LIKELY: tuple[tuple[str, str, str], ...] = (
    ("api key", "sk", rf"sk-{_W}{{20,}}"),
    ("crates.io token", "ci", f"cio{_A}{{32}}(?!{_A})"),
    ("resend key", "re", f"re_{_A}{{7,9}}_{_A}{{20,}}"),
    ("fireworks key", "fw", f"fw_{_A}{{22,}}"),
    ("discord token", _DISCORD, rf"[MNO]{_W}{{22,27}}\.{_W}{{6}}\.{_W}{{27,}}"),
)
"""Forms that other things have too: what they match must look random."""

WITHOUT_PREFIX: tuple[tuple[str, str], ...] = (
    ("mailgun key", f"{_H}{{32}}-{_H}{{8}}-{_H}{{8}}(?![A-Za-z0-9-])"),
    ("mailchimp key", rf"{_H}{{32}}-us\d{{1,2}}(?!{_A})"),
    ("terraform token", rf"{_A}{{14}}\.atlasv1\.{_W}{{50,}}"),
)

UNKNOWN_ISSUER = (
    f"[a-z0-9]{{2,20}}_(?:live|test|prod|sk|secret|key|pat|token|apikey|api|v[0-9])_{_A}{{20,}}(?![A-Za-z0-9_])"
)
"""Issuers that are not in these lists form theirs in the same way: `acme_live_…`."""

IN_ADDRESSES: tuple[tuple[str, str], ...] = (
    ("slack webhook", r"https?://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    ("discord webhook", rf"https?://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{{16,20}}/{_W}{{50,}}"),
    ("teams webhook", r"https?://[\w.-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{60,}"),
)

TELEGRAM = rf"{_W}{{35}}(?!{_W})"
"""What follows the number of the bot and a colon."""
