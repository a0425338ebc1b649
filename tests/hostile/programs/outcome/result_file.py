# attack: writes a result file of its own
import json, os
for folder in ("@COURSE@/runs/results/01_nadaraya_watson", "runs/results/01_nadaraya_watson", "/tmp/runs"):
    try:
        os.makedirs(folder, exist_ok=True)
        with open(folder + "/@STUDENT@.json", "w") as file:
            json.dump({"student": "@STUDENT@", "score": 100, "cells": []}, file)
        print("WROTE", folder)
    except OSError as error:
        print("REFUSED", error)
