"""The probe: a program that examines files in confined children, so that hostile bytes meet no secret."""
