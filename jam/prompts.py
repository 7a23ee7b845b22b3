"""Prompts: Jinja templates in `prompts/`, a folder a job. A user's own copies come first, from `$JAM_PROMPTS`."""

from __future__ import annotations

import hashlib

from jam.errors import UsageError
from jam.templating import own_folder, render_template, template_source

FOLDER = "prompts"
_OWN = "JAM_PROMPTS"


def render_prompt(prompt: str, part: str, /, **data: object) -> str:
    """A part (`system`, `user`) of a prompt, filled in. Raises `UsageError` where a user's own copy is wrong."""
    name = f"{prompt}/{part}.j2"
    own = own_folder(_OWN)
    try:
        return render_template(FOLDER, name, own, data).strip()
    except Exception as error:
        where = f" in {own}" if own else ""
        raise UsageError(f"the prompt {name!r}{where} fails: {error!r}; correct it or remove your copy") from error


def prompt_digest(prompt: str, parts: tuple[str, ...]) -> str:
    """Names the wording of a prompt: it changes when a template does."""
    import jinja2

    own = own_folder(_OWN)
    try:
        texts = [template_source(FOLDER, f"{prompt}/{part}.j2", own) for part in parts]
    except (jinja2.TemplateError, ValueError) as error:
        raise UsageError(f"the prompt {prompt!r} can't be read: {error!r}; correct it or remove your copy") from error
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()[:12]
