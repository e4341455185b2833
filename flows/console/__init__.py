"""What commands share: options, input files, printing, progress, errors in words."""
