# cmake -DFILE=... -P: the library that a module needs is where the system looks.
file(RPATH_REMOVE FILE "${FILE}")
