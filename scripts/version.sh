#!/bin/sh
# version.sh [--library]: prints the version of this project, or the number in the shared library's name for the loader
# (bindings/c/build.rs): the first number of the version; as long as that is 0, also the second.
version=$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")
case $1/$version in
--library/0.*) echo "$version" | cut -d. -f1,2 ;;
--library/*) echo "${version%%.*}" ;;
*) echo "$version" ;;
esac
