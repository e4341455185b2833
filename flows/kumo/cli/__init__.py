"""KUMO's commands: `perennial domains`, `sample`, `solve` and `import kumo`."""
