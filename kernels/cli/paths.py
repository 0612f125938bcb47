"""`tilescope paths`: where tilescope stores settings, hosts, samples and the rest."""

from __future__ import annotations

import json

import click

from kernels.user_folder import CONTENTS, cache_folder, old_path, user_folder, user_path


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(as_json: bool) -> None:
    """Show where tilescope stores settings, hosts, samples, progress, drafts and timelines.

    What does not exist yet is made when it is needed. The cache may be deleted.
    """
    used = {content: user_path(content) for content in CONTENTS}
    old = {content: path for content in CONTENTS if (path := old_path(content)) and path not in used.values()}
    unused = {content: path for content, path in old.items() if path.is_file()}
    named = [("folder", user_folder()), *used.items(), ("cache", cache_folder())]
    if as_json:
        plain: dict[str, object] = {name: str(path) for name, path in named}
        click.echo(json.dumps({**plain, "unused": {content: str(path) for content, path in unused.items()}}))
        return
    for name, path in named:
        click.echo(f"{name:<9} {path}")
    for content, path in unused.items():
        click.echo(f"\n{path}\nis of tilescope 0.1 and is not used: there is a newer file, {used[content]}.")
