"""Writes the tree that assistive technology sees of an application as JSON: accessibility_tree.py NAME.

Each line is one node: its path of roles, role, name, description, states, and its value, text and selected children where
it has them.
"""

import json
import sys
import time
import warnings

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

# The interfaces that a node implements are reached by these names in every version of the library.
warnings.simplefilter("ignore", DeprecationWarning)

# A node may go while the tree is read.
GONE = GLib.Error
# How long the application may take until it is on the bus.
PATIENCE_S = 20


def application(name):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        desktop = Atspi.get_desktop(0)
        for index in range(desktop.get_child_count()):
            found = desktop.get_child_at_index(index)
            if found is not None and found.get_name().lower() == name.lower():
                return found
        time.sleep(0.1)
    names = [desktop.get_child_at_index(index).get_name() for index in range(desktop.get_child_count())]
    sys.exit(f"{name} is not on the bus of assistive technology, only {names}")


def states_of(node):
    return sorted(state.value_nick for state in node.get_state_set().get_states())


def value_of(node):
    value = node.get_value_iface()
    if value is None:
        return None
    return {"now": value.get_current_value(), "least": value.get_minimum_value(), "most": value.get_maximum_value()}


def text_of(node):
    text = node.get_text_iface()
    return None if text is None else text.get_text(0, min(text.get_character_count(), 200))


def selected_of(node):
    selection = node.get_selection_iface()
    if selection is None:
        return None
    chosen = [selection.get_selected_child(index) for index in range(selection.get_n_selected_children())]
    return [child.get_name() for child in chosen if child is not None]


def write(node, path):
    try:
        role = node.get_role_name()
        path = [*path, role]
        states = states_of(node)
        line = {
            "path": path,
            "role": role,
            "name": node.get_name(),
            "description": node.get_description(),
            "states": states,
            "attributes": node.get_attributes() or {},
            "value": value_of(node),
            "text": text_of(node),
            "selected": selected_of(node),
        }
        children = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    except GONE:
        return
    json.dump(line, sys.stdout)
    sys.stdout.write("\n")
    for child in children:
        if child is not None:
            write(child, path)


write(application(sys.argv[1]), [])
