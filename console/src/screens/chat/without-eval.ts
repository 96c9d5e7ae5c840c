import { config } from 'zod/v4/core';

// Zod tests whether it may compile code with `new Function`. The Content Security Policy forbids that, and
// the browser would log an error. This file must be imported before any module that imports zod.
config({ jitless: true });
