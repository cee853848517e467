"""The size of type, by the width of the window."""

TYPE_SIZE = "html { font-size: clamp(16px, calc(16px + (100vw - 1280px) / 140), 20.6px) !important; }"
