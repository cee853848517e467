"""Figures and layouts, for the app and for notebooks. The only part of the library that loads plotly."""
