// @ts-check
/** The layout of the site that this module is deployed with; `statuary hosting` writes it. */

/** Whether the documents of single contracts lie in folders by the first two digits of their address. */
export const SHARDED = false;
