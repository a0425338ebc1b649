# attack: frames written past the messenger, with guessed numbers
import json, os, struct
for fd in range(3, 256):
    for seq in (0, 1, 2, 3):
        head = json.dumps({"seq": seq, "outcomes": [], "value": "b", "points": 3}).encode()
        try:
            os.write(fd, struct.pack("<IQ", len(head), 0) + head)
        except OSError:
            pass
