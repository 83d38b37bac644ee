"""What a graph would be without some missing and further edges."""
