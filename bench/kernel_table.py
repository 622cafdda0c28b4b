#!/usr/bin/env python3
"""What the compilers of GPUs make of Minerva's kernels, for GPUs that are only described to them: none is needed.

    bench/kernel_table.py MINERVA_BENCH MODEL... [--devices vega10,ampere] [--list] [--write FILE.md]

Prints a Markdown table with the worst figures of each kernel over all forms that the models need. The compilers are Mesa's (Debian:
mesa-vulkan-drivers): AMD's by RADV_FORCE_FAMILY or, in newer Mesa, by the shims of mesa-drm-shim, which also describe NVIDIA's GPUs (NVK)
and Apple's (Honeykrisp). Intel's (ANV) needs a shim that Debian does not package: libintel_noop_drm_shim.so of Mesa's drm-shim. Devices
that cannot be described here are left out, in words. Exit code 1 if a kernel spills registers, or if one that reads weights for a single
token needs so many of them that too few subgroups run side by side; 77 if no device can be described.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys

LEAST_IS_WORST = {"Subgroups per SIMD", "Max warps/SM", "Threads", "Max dispatch width"}


class Compiler:
    """icd: of the driver. spills: figures that must be 0. side_by_side: how much of a kernel runs at once, and at least how much of those
    that read weights for one token, for subgroups of so many lanes."""

    def __init__(self, icd, columns, spills, side_by_side, least):
        self.icd, self.columns, self.spills, self.side_by_side, self.least = icd, columns, spills, side_by_side, least

    def driver(self):
        return next(iter(sorted(glob.glob(f"/usr/share/vulkan/icd.d/{self.icd}_icd*.json"))), None)


RADV = Compiler("radeon", ["VGPRs", "Spilled VGPRs", "Spilled SGPRs", "Scratch size", "LDS size", "Subgroups per SIMD", "Instructions",
                           "Inverse Throughput"],
                ("Spilled VGPRs", "Spilled SGPRs", "Scratch size"), "Subgroups per SIMD", {32: 8, 64: 3})  # GCN holds 10 of 64 at most
NVK = Compiler("nouveau", ["Number of GPRs", "Spills to memory", "Spills to reg", "SLM size", "Max warps/SM", "Instruction count",
                           "Static cycle count"],
               ("Spills to memory", "Fills from memory", "SLM size"), "Max warps/SM", {32: 16})  # of 32 to 64, by generation
HONEYKRISP = Compiler("asahi", ["GPRs", "Spills", "Scratch", "Threads", "Instructions", "ALU"],
                      ("Spills", "Fills", "Scratch"), "Threads", {32: 384})  # of 1024
ANV = Compiler("intel", ["Max dispatch width", "Max live registers", "Spills", "Fills", "Scratch Memory Size", "Workgroup Memory Size",
                         "Instructions", "SENDs", "Cycles"],
               ("Spills", "Scratch Memory Size"), "Max dispatch width", {})  # an EU runs eight subgroups, whatever registers they use


def shim(name):
    return next(iter(glob.glob(f"/usr/lib/*/lib{name}_noop_drm_shim.so")), None)


def described(compiler, shim_name, by_shim, otherwise=None):
    """(compiler, environment) of a device, described by a shim or, where that is not installed, by the driver itself. by_shim,
    otherwise: the environment variables that say which device it is; without `otherwise` the driver cannot. None: this machine's Mesa
    cannot describe it."""
    driver, preload = compiler.driver(), shim(shim_name)
    if driver is None:
        return None
    environment = {"VK_ICD_FILENAMES": driver, "VK_DRIVER_FILES": driver}
    if preload is not None:
        return compiler, environment | {"LD_PRELOAD": preload} | by_shim
    return None if otherwise is None else (compiler, environment | otherwise)


def amd(name, old_name=None):
    otherwise = None if old_name is None else {"RADV_FORCE_FAMILY": old_name}
    return lambda: described(RADV, "amdgpu", {"AMDGPU_GPU_ID": name}, otherwise)


def nvidia(chipset):
    return lambda: described(NVK, "nouveau", {"NOUVEAU_CHIPSET": chipset})


def intel(platform):
    return lambda: described(ANV, "intel", {"INTEL_STUB_GPU_PLATFORM": platform})


DEVICES = {
    "polaris10": amd("polaris10", "polaris10"),  # GCN 4: RX 480
    "vega10": amd("vega10", "vega10"),           # GCN 5
    "navi10": amd("navi10", "navi10"),           # RDNA 1
    "navi21": amd("navi21", "navi21"),           # RDNA 2
    "navi31": amd("navi31", "gfx1100"),          # RDNA 3: RX 7900
    "strix1": amd("strix1"),                     # RDNA 3.5, integrated
    "gfx1201": amd("gfx1201"),                   # RDNA 4: RX 9070
    "pascal": nvidia("134"),                     # GTX 1080
    "turing": nvidia("164"),                     # RTX 2080
    "ampere": nvidia("174"),                     # RTX 3070
    "ada": nvidia("194"),                        # RTX 4070
    "kbl": intel("kbl"),                         # UHD 620 and 630
    "tgl": intel("tgl"),                         # Iris Xe
    "dg2": intel("dg2"),                         # Arc A770
    "m1": lambda: described(HONEYKRISP, "asahi", {}),
}


def is_listed(bench, environment):
    """Whether the driver presents the device: newer ones do not know RADV_FORCE_FAMILY."""
    ran = subprocess.run([bench, "devices", "--json"], env=dict(os.environ, **environment), capture_output=True, text=True)
    return ran.returncode == 0 and any(device["id"] == "vulkan:0" for device in json.loads(ran.stdout)["devices"])


def compiled(bench, models, device, environment):
    ran = subprocess.run([bench, "kernels", "--device", "vulkan:0", "--json", *models], env=dict(os.environ, **environment),
                         capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{device}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def worst_by_kernel(report, compiler):
    """{kernel: {figure: worst}}, its forms, and how many subgroups of those that a step of one token runs are side by side."""
    worst, forms, of_one_token = collections.defaultdict(dict), collections.defaultdict(set), {}
    for model in report["models"]:
        for kernel in model["kernels"]:
            name = kernel["kernel"].split("(")[0]
            forms[name].add(kernel["kernel"])
            if kernel["one_token"]:
                of_one_token[kernel["kernel"]] = kernel["figures"].get(compiler.side_by_side, 0)
            for figure in {*compiler.columns, *compiler.spills}:
                value = kernel["figures"].get(figure)
                if value is None:
                    continue
                pick = min if figure in LEAST_IS_WORST else max
                worst[name][figure] = pick(worst[name].get(figure, value), value)
    return worst, forms, of_one_token


def problems(device, compiler, worst, of_one_token):
    found = []
    for name, figures in sorted(worst.items()):
        for figure in compiler.spills:
            if figures.get(figure, 0) > 0:
                found.append(f"{device}: {name}: {figure} {figures[figure]:g}, expected 0")
    for form, count in sorted(of_one_token.items()):
        if not form.startswith("matvec"):
            continue
        least = compiler.least.get(int(form.split(" x")[-1]), 8)
        if count < least:
            found.append(f"{device}: {form}: {compiler.side_by_side} {count:g}, expected at least {least}")
    return found


def table_of(device, report, compiler, worst, forms):
    lines = ["", f"## {device}: {report['device']['name'].strip()}, {report['device']['detail']}", "",
             "| kernel | forms | " + " | ".join(compiler.columns) + " |", "|---" * (len(compiler.columns) + 2) + "|"]
    for name in sorted(worst):
        cells = [f"{worst[name].get(figure, 0):g}" for figure in compiler.columns]
        lines.append(f"| {name} | {len(forms[name])} | " + " | ".join(cells) + " |")
    return lines


def dispatches_of(report):
    lines = ["| model | layers | dispatches a token | barriers a token | dispatches a layer, the ends included |", "|---|---|---|---|---|"]
    for model in report["models"]:
        count, layers = model["dispatches_per_token"], model["layers"]
        lines.append(f"| {model['model']} | {layers} | {count} | {model['barriers_per_token']} | {count / layers:.1f} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--list", action="store_true", help="say which devices can be described here")
    parser.add_argument("--write", default=None)
    options = parser.parse_args()
    wanted = options.devices.split(",")
    for name in wanted:
        if name not in DEVICES:
            parser.error(f"{name} is none of {', '.join(DEVICES)}")
    known = {name: DEVICES[name]() for name in wanted}
    left_out = [name for name, how in known.items() if how is None]
    if options.list:
        print("\n".join(name for name in wanted if name not in left_out))
        return 0
    lines, found, dispatches = [], [], []
    for device, how in known.items():
        if how is None:
            continue
        compiler, environment = how
        if not is_listed(options.bench, environment):
            left_out.append(f"{device} (the driver does not present it)")
            continue
        report = compiled(options.bench, options.models, device, environment)
        worst, forms, of_one_token = worst_by_kernel(report, compiler)
        if not any(worst.values()):
            left_out.append(f"{device} (its driver says nothing of its kernels)")
            continue
        found += problems(device, compiler, worst, of_one_token)
        lines += table_of(device, report, compiler, worst, forms)
        dispatches = dispatches or dispatches_of(report)
    if not lines:
        print("skipped: Mesa here describes none of " + ", ".join(wanted) + " (mesa-vulkan-drivers, mesa-drm-shim)")
        return 77
    verdict = found or ["No kernel spills; enough subgroups of those that read weights for one token run side by side."]
    if left_out:
        verdict += ["", "Left out: " + ", ".join(left_out) + "."]
    text = "\n".join(dispatches + lines + ["", *verdict])
    print(text)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
