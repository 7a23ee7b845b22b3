"""`jam agents`."""

from __future__ import annotations

import click

from jam.cli.options import emit, hush, output_options


@click.command()
@click.argument("engine", required=False)
@click.argument("role", required=False)
@output_options
def command(engine: str | None, role: str | None, as_json: bool, quiet: bool) -> None:
    """Show the engines; of an ENGINE who plays which role; of a ROLE its prompt, as it is sent to the model.

    Cards lie in agents/, prompts in prompts/; your own copies in JAM_AGENTS and JAM_PROMPTS come first.
    """
    from jam.cards import ROLES, card_names, load_card
    from jam.errors import UsageError

    hush(quiet)
    if engine is None:
        cards = [load_card(name) for name in card_names()]
        rows = [{"engine": card.engine, "needs_model": card.needs_model()} for card in cards]
        lines = [f"{row['engine']}{'  (needs a model)' if row['needs_model'] else ''}" for row in rows]
        emit(rows, "\n".join(lines), as_json)
        return
    if role is not None and role not in ROLES:
        raise UsageError(f"there is no role {role!r}; the roles are: {', '.join(ROLES)}")
    _show(engine, role, as_json)


def _show(engine: str, role: str | None, as_json: bool) -> None:
    from jam.rehearsal import rehearse, render_request, to_dict

    found = [item for item in rehearse(engine) if role in (None, item.role)]
    if role is None:
        text = "\n".join(f"{item.role}: {item.player}{'  (asks the model)' if item.requests else ''}" for item in found)
    else:
        pages = [render_request(request) for item in found for request in item.requests]
        text = "\n\n".join(pages) or f"{found[0].player} asks no model"
    emit(to_dict(found), text, as_json)
