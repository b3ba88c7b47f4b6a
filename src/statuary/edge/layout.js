// @ts-check
/** The layout of the site that this module is deployed with; `statuary hosting` writes it. */

/** Whether records are in folders by the first two digits of their address. */
export const SHARDED = false;
