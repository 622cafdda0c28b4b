#!/usr/bin/env python3
"""packaging/run: which program it builds and starts for which arguments. The builds are stand-ins that print their arguments."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "packaging/run"
# Makes the programs that it is asked for, in the build folder of the preset.
CMAKE = """#!/usr/bin/env bash
[[ $1 == --build ]] || exit 0
preset=$3; shift 4
for target in "$@"; do
  mkdir -p build/$preset/bin; touch build/$preset/build.ninja
  printf '#!/usr/bin/env bash\\necho "%s" "$@"\\n' "$target" > build/$preset/bin/$target; chmod +x build/$preset/bin/$target
done
"""
HERE = "There is no display here: the conversation is in this terminal.\n"
CASES = [  # display, arguments, what is started
    (True, [], "minerva\n"),
    (True, ["m.gguf"], "minerva m.gguf\n"),
    (True, ["get", "org/repo"], "minerva get org/repo\n"),
    (True, ["-p", "hi"], "minerva-bench run --chat -p hi\n"),
    (False, [], HERE + "minerva-bench chat\n"),
    (False, ["m.gguf"], HERE + "minerva-bench chat m.gguf\n"),
    (False, ["-phi"], "minerva-bench run --chat -phi\n"),
    (False, ["--prompt=hi"], "minerva-bench run --chat --prompt=hi\n"),
    (False, ["-p", "hi", "m.gguf"], "minerva-bench run --chat -p hi m.gguf\n"),
    (False, ["m.gguf", "-p", "list"], "minerva-bench run --chat m.gguf -p list\n"),
    (False, ["-p", "hi", "--model", "m.gguf"], "minerva-bench run --chat -p hi m.gguf\n"),
    (False, ["--data-dir", "d", "-p", "hi", "--models=f"], "minerva-bench run --chat -p hi\n"),
    (False, ["--model", "m.gguf", "--models", "f"], HERE + "minerva-bench chat m.gguf\n"),
    (True, ["-platform", "offscreen"], "minerva -platform offscreen\n"),
    (False, ["get", "org/repo"], "minerva get org/repo\n"),
    (False, ["--data-dir", "d", "list"], "minerva --data-dir d list\n"),
    (False, ["serve", "m.gguf", "--port", "1"], "minerva serve m.gguf --port 1\n"),
    (False, ["--system", "list", "m.gguf"], HERE + "minerva-bench chat --system list m.gguf\n"),
]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        tools = root / "tools"
        (root / "tree/packaging").mkdir(parents=True)
        tools.mkdir()
        copy = Path(shutil.copy(SCRIPT, root / "tree/packaging/run"))
        for path, text in ((root / "tree/packaging/install-dependencies", "#!/usr/bin/env bash\n"), (tools / "cmake", CMAKE)):
            path.write_text(text)
            path.chmod(0o755)
        link = root / "minerva-run"
        link.symlink_to(copy)
        for script in (copy, link):
            for display, arguments, wanted in CASES:
                environment = {"PATH": f"{tools}:{os.environ['PATH']}", **({"DISPLAY": ":0"} if display else {})}
                done = subprocess.run([script, *arguments], env=environment, cwd=root, capture_output=True, text=True, check=False)
                assert done.stdout == wanted, f"{script.name} {arguments}: {done.stdout!r}, not {wanted!r}. {done.stderr}"
    print(f"{len(CASES)} ways to call it")


if __name__ == "__main__":
    sys.exit(main())
