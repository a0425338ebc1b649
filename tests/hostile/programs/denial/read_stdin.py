# attack: reads standard input
# level: 0
import sys
print(sys.stdin.read())
