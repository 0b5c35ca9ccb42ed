"""An instance of the program that ends while the next one hands it its files: ending_instance.py

It says "there" once it is found by others."""

import os
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

NAME = "audio.undertone.workbench.SingleInstance"


def seen(_connection, message, incoming):
    if incoming and message.get_member() == "ExecuteCallback":
        os._exit(0)
    return message


def found(connection, _name):
    connection.add_filter(seen)
    print("there", flush=True)


def lost(connection, _name):
    # Called too while the bus has not noticed yet that the instance before has ended; then the name is waited for.
    if connection is None:
        sys.exit("there is no bus")


Gio.bus_own_name(Gio.BusType.SESSION, NAME, Gio.BusNameOwnerFlags.NONE, None, found, lost)
GLib.MainLoop().run()
