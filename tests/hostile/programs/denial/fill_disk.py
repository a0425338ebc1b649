# attack: fills the disk
# level: 3
for folder in (".", "/tmp", "/dev/shm"):
    try:
        for number in range(48):
            with open(f"{folder}/big{number}", "wb") as file:
                file.write(b"x" * (1 << 20))
    except OSError as error:
        print("STOPPED", error)
