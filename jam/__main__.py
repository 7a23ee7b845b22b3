"""`python -m jam`."""

from jam.cli.main import main

main()
