"""Accuracy of a bundle over a folder of images: reading digits and labels, running, counting."""
