"""A small window that files can be dragged from, as from a file manager: drag_source.py X Y FILE..."""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk

x, y, *files = sys.argv[1:]
window = Gtk.Window(title="Files to drag", default_width=120, default_height=120)
box = Gtk.EventBox()
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
box.drag_source_add_uri_targets()
uris = [pathlib.Path(file).absolute().as_uri() for file in files]
box.connect("drag-data-get", lambda _box, _context, data, _info, _time: data.set_uris(uris))
window.add(box)
window.move(int(x), int(y))
window.show_all()
Gtk.main()
