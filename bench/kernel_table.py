#!/usr/bin/env python3
"""What AMD's open compiler makes of Minerva's kernels, for GPUs that are only described to it: no GPU is needed.

    bench/kernel_table.py MINERVA_BENCH MODEL... [--families vega10,gfx1100] [--driver radeon_icd.json] [--write FILE.md]

Prints a Markdown table with the worst figures of each kernel over all forms that the models need; needs Mesa's RADV (Debian:
mesa-vulkan-drivers). Exit code 1 if a kernel spills registers, or if one that reads weights for a single token needs so many of them that a
SIMD holds fewer than 8 of its subgroups (3 of 64 lanes); 77 if there is no such driver.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys

FAMILIES = ["polaris10", "vega10", "navi10", "navi21", "gfx1100"]  # GCN 4, GCN 5, RDNA 1, RDNA 2, RDNA 3 as Mesa 22 names them
LEAST_SUBGROUPS = {32: 8, 64: 3}  # of so many lanes on a SIMD; GCN, whose subgroups have 64, holds 10 at most
COLUMNS = ["VGPRs", "Spilled VGPRs", "Spilled SGPRs", "Scratch size", "LDS size", "Subgroups per SIMD", "Instructions", "Inverse Throughput"]
LEAST_IS_WORST = {"Subgroups per SIMD"}


def drivers():
    return sorted(glob.glob("/usr/share/vulkan/icd.d/radeon_icd*.json"))


def compiled(bench, models, family, driver):
    environment = dict(os.environ, RADV_FORCE_FAMILY=family, VK_ICD_FILENAMES=driver, VK_DRIVER_FILES=driver)
    ran = subprocess.run([bench, "kernels", "--device", "vulkan:0", "--json", *models], env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{family}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def worst_by_kernel(report):
    """{kernel: {figure: worst}}, its forms, and the waves of those that a step of one token runs."""
    worst, forms, waves = collections.defaultdict(dict), collections.defaultdict(set), {}
    for model in report["models"]:
        for kernel in model["kernels"]:
            name = kernel["kernel"].split("(")[0]
            forms[name].add(kernel["kernel"])
            if kernel["one_token"]:
                waves[kernel["kernel"]] = kernel["figures"].get("Subgroups per SIMD", 0)
            for figure in COLUMNS:
                value = kernel["figures"].get(figure)
                if value is None:
                    continue
                pick = min if figure in LEAST_IS_WORST else max
                worst[name][figure] = pick(worst[name].get(figure, value), value)
    return worst, forms, waves


def problems(family, worst, waves):
    found = []
    for name, figures in sorted(worst.items()):
        for figure in ("Spilled VGPRs", "Spilled SGPRs", "Scratch size"):
            if figures.get(figure, 0) > 0:
                found.append(f"{family}: {name}: {figure} {figures[figure]:g}, expected 0")
    for form, count in sorted(waves.items()):
        if not form.startswith("matvec"):
            continue
        lanes = int(form.split(" x")[-1])
        if count < LEAST_SUBGROUPS.get(lanes, 8):
            found.append(f"{family}: {form}: {count:g} subgroups, expected at least {LEAST_SUBGROUPS.get(lanes, 8)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--driver", default=None)
    parser.add_argument("--write", default=None)
    options = parser.parse_args()
    driver = options.driver or next(iter(drivers()), None)
    if driver is None or not os.path.exists(driver):
        print("skipped: Mesa's RADV is not installed (mesa-vulkan-drivers)")
        return 77

    lines, found, dispatches = [], [], []
    for family in options.families.split(","):
        report = compiled(options.bench, options.models, family, driver)
        worst, forms, waves = worst_by_kernel(report)
        if not any(worst.values()):
            print(f"skipped: {report['device']['name']} says nothing of its kernels")
            return 77
        found += problems(family, worst, waves)
        lines += ["", f"## {family}: {report['device']['detail']}", "", "| kernel | forms | " + " | ".join(COLUMNS) + " |",
                  "|---" * (len(COLUMNS) + 2) + "|"]
        for name in sorted(worst):
            cells = [f"{worst[name].get(figure, 0):g}" for figure in COLUMNS]
            lines.append(f"| {name} | {len(forms[name])} | " + " | ".join(cells) + " |")
        if not dispatches:
            dispatches = ["| model | layers | dispatches a token | barriers a token | dispatches a layer, the ends included |", "|---|---|---|---|---|"]
            for model in report["models"]:
                count, layers = model["dispatches_per_token"], model["layers"]
                dispatches.append(f"| {model['model']} | {layers} | {count} | {model['barriers_per_token']} | {count / layers:.1f} |")
    text = "\n".join(dispatches + lines + ["", *(found or ["No kernel spills; a SIMD holds enough subgroups of those that read weights for one token."])])
    print(text)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
