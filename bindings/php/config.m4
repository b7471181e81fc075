dnl phpize; ./configure --with-hashmill=PREFIX; make: PREFIX is where the C library is installed (make install-lib in the project's root), /usr/local for one.
PHP_ARG_WITH([hashmill],
  [for hashmill],
  [AS_HELP_STRING([--with-hashmill[[=DIR]]], [The extension hashmill; DIR is where the C library is, by default where pkg-config finds it])],
  [yes])

if test "$PHP_HASHMILL" != "no"; then
  if test "$PHP_HASHMILL" = "yes"; then
    PKG_CHECK_MODULES([HASHMILL], [hashmill >= 0.1])
    PHP_EVAL_INCLINE([$HASHMILL_CFLAGS])
    PHP_EVAL_LIBLINE([$HASHMILL_LIBS], [HASHMILL_SHARED_LIBADD])
  else
    if test ! -f "$PHP_HASHMILL/include/hashmill.h"; then
      AC_MSG_ERROR([no hashmill.h in $PHP_HASHMILL/include: make install-lib PREFIX=$PHP_HASHMILL in hashmill's sources puts it there])
    fi
    PHP_ADD_INCLUDE([$PHP_HASHMILL/include])
    dnl Where the library is found at run time; a package that is built elsewhere sets HASHMILL_RUNPATH.
    HASHMILL_SHARED_LIBADD="-L$PHP_HASHMILL/lib -lhashmill -Wl,-rpath,${HASHMILL_RUNPATH:-$PHP_HASHMILL/lib}"
  fi
  PHP_SUBST([HASHMILL_SHARED_LIBADD])
  PHP_NEW_EXTENSION([hashmill], [hashmill.c registry.c functions.c files.c replace.c], [$ext_shared],, [-Wall -Wextra -Wno-unused-parameter])
  PHP_ADD_EXTENSION_DEP([hashmill], [hash])
fi
