"""torchvision, imported in one place: `from course_utils.data.vision import torchvision`.

torchvision's wheels from the package index are built for CUDA. Beside a CPU-only torch its
compiled operators do not load, and a plain `import torchvision` fails with "operator
torchvision::nms does not exist". Data sets, transforms and models need none of these operators,
so the missing ones are declared by name and the import is tried once more. Where the import
works, nothing is done.
"""

import re
import sys
import warnings
from types import ModuleType

import torch

MISSING = re.compile(r"operator (torchvision::\w+) does not exist")


def load(attempts: int = 8) -> ModuleType:
    """Import torchvision; declare each compiled operator for want of which the import fails."""
    for _ in range(attempts):
        try:
            with warnings.catch_warnings():
                # Nobody here decodes JPEG files
                warnings.filterwarnings("ignore", message="Failed to load image Python extension")
                import torchvision
            return torchvision
        except RuntimeError as error:
            missing = MISSING.search(str(error))
            if missing is None:
                raise
            torch.library.define(
                missing[1], "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            )
            for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
                del sys.modules[name]  # a half-finished import would be taken for a finished one
    raise ImportError(f"torchvision could not be imported beside torch {torch.__version__}")


torchvision = load()

from torchvision import datasets, models, utils  # noqa: E402
from torchvision.transforms import v2 as transforms  # noqa: E402

__all__ = ["datasets", "models", "torchvision", "transforms", "utils"]
