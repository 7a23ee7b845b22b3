from __future__ import annotations

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from .test_obsidian import JSON
from .test_robustness import RELAXED, check

PAYLOAD = b"\x89PNG picture"
NOTEBOOK = {
    "nbformat": 4,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Kiln\n", "\n", "Its heat."]},
        {
            "cell_type": "code",
            "source": "print(1)\nplot()",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {
                    "output_type": "display_data",
                    "data": {"image/png": base64.b64encode(PAYLOAD).decode(), "text/plain": "<Figure>"},
                },
                {"output_type": "error", "traceback": ["\x1b[31mError", "at line 1"]},
            ],
        },
        {"cell_type": "raw", "source": "end"},
    ],
}
TEXT = """# Kiln

Its heat.

```python
print(1)
plot()
```

```
1
```

[image: image/png, 12 bytes]

```
Error
at line 1
```

end"""


def test_a_notebook(make, read):
    result = read(make({"lab/kiln.ipynb": json.dumps(NOTEBOOK)}))
    session = result.session
    assert (session.id, session.kind, session.title) == ("lab/kiln.ipynb", "document", "Kiln")
    assert "\n\n".join(m.text for m in session.messages) == TEXT
    assert [a.size for m in session.messages for a in m.attachments] == [12]
    assert list(result.spilled.values()) == [PAYLOAD]


def test_an_old_notebook(make, read):
    cells = [{"cell_type": "code", "input": ["x = 1"], "language": "python", "outputs": [{"text": "one", "png": ""}]}]
    assert read(make({"a.ipynb": json.dumps({"worksheets": [{"cells": cells}]})})).texts == [
        "```\nx = 1\n```\n\n```\none\n```"
    ]


def test_bad_notebooks(make, read):
    rows = {
        row.name: row for row in read(make({"a.ipynb": '{"cells": [1]}', "b.ipynb": "[]", "c.ipynb": "{"})).report.rows
    }
    assert rows["a.ipynb"].records_skipped[0].where == "cell 1"
    assert rows["b.ipynb"].reason == "not a notebook: it has no list of cells"
    assert rows["c.ipynb"].reason.startswith("damaged or cut JSON")


FIELDS = st.sampled_from(["cell_type", "source", "outputs", "input", "text", "data", "traceback"])
CELL = st.dictionaries(FIELDS, JSON | st.lists(st.dictionaries(FIELDS, JSON)))


@RELAXED
@given(st.lists(CELL | JSON), JSON)
def test_anything_in_a_notebook(tmp_path_factory, cells, metadata):
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.ipynb").write_text(json.dumps({"cells": cells, "metadata": metadata}))
    check(folder)
