"""Which version of the program runs, as the installed package says it. Reads nothing else."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """The version that is installed, or `checkout` where the source tree runs uninstalled."""
    try:
        return version("orgweave")
    except PackageNotFoundError:
        return "checkout"
