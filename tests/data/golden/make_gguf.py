"""Converts folders that make.py made with llama.cpp's own converter: models/tiny-<family>/gguf/tiny-<family>-BF16.gguf, and their entries of
manifest.json, which have the folder's reference.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_gguf.py NAME ...

The folders have no tokenizer; the file gets that of models/llama-gqa-bf16, whose vocabulary they have.
"""
import json
import os
import runpy
import shutil
import sys
import tempfile

sys.path.insert(1, "/usr/share/llama.cpp/llama.cpp-tools")
import conversion.base as base
import transformers
from conversion import get_model_class

CONVERTER = "/usr/share/doc/llama.cpp-tools/scripts/convert_hf_to_gguf.py"
TOKENIZER = "models/llama-gqa-bf16/hf"
PUBLISHED = {"MptForCausalLM": "MPTForCausalLM"}  # the converter knows the name in published folders, not Transformers' own


def convert(name):
    folder = f"models/tiny-{name}"
    config = json.load(open(f"{folder}/hf/config.json"))
    architecture = PUBLISHED.get(config["architectures"][0], config["architectures"][0])
    family = get_model_class(architecture, mmproj=False)
    family.set_vocab = base.TextModel._set_vocab_gpt2
    # The tokenizer itself, whatever the config says of a model that Transformers does not know.
    transformers.AutoTokenizer.from_pretrained = lambda path, **_: transformers.PreTrainedTokenizerFast.from_pretrained(path)
    base.TextModel.get_vocab_base_pre = lambda self, tokenizer: "gpt-2"  # found by a hash of well-known tokenizers
    with tempfile.TemporaryDirectory() as copy:
        shutil.copy(f"{folder}/hf/model.safetensors", copy)
        json.dump(config | {"architectures": [architecture]}, open(f"{copy}/config.json", "w"))
        for file in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(f"{TOKENIZER}/{file}", copy)
        os.makedirs(f"{folder}/gguf", exist_ok=True)
        out = f"{folder}/gguf/tiny-{name}-BF16.gguf"
        sys.argv = [CONVERTER, copy, "--outfile", out, "--outtype", "bf16", "--model-name", f"tiny-{name}"]
        if getattr(family, "supports_mtp_export", False) and not name.endswith("prediction"):  # which other folders do not have
            sys.argv.append("--no-mtp")
        runpy.run_path(CONVERTER, run_name="__main__")
    return out


def main():
    for name in list(sys.argv[1:]):
        out = convert(name)
        manifest = json.load(open("manifest.json"))
        case = dict(next(c for c in manifest["cases"] if c["id"] == f"tiny-{name}"), id=f"tiny-{name}:gguf", format="gguf", path=out,
                    note="made by make_gguf.py")
        manifest["cases"] = [c for c in manifest["cases"] if c["id"] != case["id"]] + [case]
        json.dump(manifest, open("manifest.json", "w"), indent=1)
        print(f"{out}: {os.path.getsize(out)} bytes")


main()
