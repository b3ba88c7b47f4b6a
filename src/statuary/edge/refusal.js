// @ts-check

/** A request that gets an error body, in Sourcify's words. */
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string} [customCode]
   */
  constructor(message, customCode = "invalid_parameter") {
    super(message);
    this.customCode = customCode;
    this.status = 400;
  }
}
