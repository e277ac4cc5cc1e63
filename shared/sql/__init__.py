"""The SQL of Outlast: one file per act, per read and per migration."""
