#!/bin/sh
# Becomes $TONADO_TEST_PROGRAM, which ends with the process that started it. See child_command.ts.
command -v setpriv > /dev/null || exec "$TONADO_TEST_PROGRAM" "$@"
exec setpriv --pdeathsig KILL -- "$TONADO_TEST_PROGRAM" "$@"
