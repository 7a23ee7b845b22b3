"""The history formats that come with JAM, a file each. `jam.history.registry` names them."""
