"""Environment variables that say where the folders of the user are, on Unix and on Windows."""

from typing import Final

USER_FOLDERS: Final = (
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "WIN_PD_OVERRIDE_LOCAL_APPDATA",  # of platformdirs: Windows itself has no variable that counts
    "WIN_PD_OVERRIDE_APPDATA",
)
