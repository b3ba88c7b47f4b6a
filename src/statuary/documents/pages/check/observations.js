// What a check yields: what it saw, where its rule is broken, or why it does not apply.

import { sizeOf } from "./values.js";

export const saw = (text = "") => ({ saw: text });
export const absent = (reason) => ({ absent: reason });
export const fault = (message, pointer, severity) => ({ message, pointer, severity });
export const broken = (pointer, severity) => fault("", pointer, severity);
export const inBytes = (code) => `${sizeOf(code).toLocaleString("en")} bytes`;
