"""What is said of waiting: tables, pages, delays, calls that hang, devices."""
