// @ts-check
/** The part of a file that a request asks for (RFC 9110, 14): one range of bytes. */

const RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i;

/**
 * The first byte that is asked for and the first after them; undefined if the whole file is to be sent, as where several
 * parts are asked for; null if the file does not have the part.
 * @param {Headers} headers of a GET
 * @param {string} tag the entity tag of the file
 * @param {number} size its bytes
 * @returns {[start: number, end: number] | null | undefined}
 */
export function requestedRange(headers, tag, size) {
  const [, first, last] = RANGE.exec(headers.get("Range") ?? "") ?? ["", "", ""];
  const isInvalid = first && last && Number(last) < Number(first);
  if (!first && !last || isInvalid || !isSame(headers.get("If-Range"), tag)) return undefined;
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(size, Number(last) + 1) : size;
  return start < end ? [start, end] : null;
}

/**
 * Whether a part may be sent: `If-Range` is absent, or names the file as it is. A weak tag, or a date, does not.
 * @param {string | null} ifRange
 * @param {string} tag
 */
function isSame(ifRange, tag) {
  return ifRange === null || ifRange.trim() === tag && !tag.startsWith("W/");
}
