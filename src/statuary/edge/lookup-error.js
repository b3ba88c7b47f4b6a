// @ts-check

/** A request that is answered with Sourcify's error body. */
export class LookupError extends Error {
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
