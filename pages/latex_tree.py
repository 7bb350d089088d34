from dataclasses import dataclass
@dataclass(frozen=True, slots=True)
class Node:
    kind: str
    value: str = ""
    slot: str = ""
    font: str = ""
    children: tuple["Node", ...] = ()
def build(t): return Node("formula")
def write(n): return ""
