"""What runs genes. A host decides no access: it hands the gene its memory and reports what came of it."""
