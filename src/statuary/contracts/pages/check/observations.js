// What a check yields: its evidence, and the violations of its rule. A check that yields nothing does not apply.

import { sizeOf } from "./values.js";

export const saw = (text = "") => ({ saw: text });
export const fault = (message, pointer, severity) => ({ message, pointer, severity });
/** What a check cannot decide: a value of a list that others extend. */
export const unknown = (value, pointer) => ({
  ...fault(`${value} is not known here`, pointer, "note"),
  isOpen: true,
});
export const broken = (pointer, severity) => fault("", pointer, severity);
export const inBytes = (code) => `${sizeOf(code).toLocaleString("en")} bytes`;
