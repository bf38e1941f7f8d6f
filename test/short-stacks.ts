/**
 * Loaded before every test file. Mocha sets no limit to stack traces, so that each error that the service throws and
 * catches would cost a walk over the whole stack.
 */
Error.stackTraceLimit = 25;
