// @ts-check
/** Compressed responses, for hosts that do not compress by themselves. */

const TEXT = /^(?:text\/|image\/svg\+xml|application\/(?:json|jsonl|xml|manifest\+json|[a-z]+\+(?:json|xml))\b)/;
const SMALLEST = 1024;

/**
 * Whether documents of a type are compressed.
 * @param {string} contentType
 */
export function isText(contentType) {
  return TEXT.test(contentType);
}

/**
 * A response in the form that the client takes: gzip for text, else as it is, and so is a part of a text. The entity
 * tag is weak, so that both forms have the same (RFC 9110, 8.8.1).
 * @param {Request} request
 * @param {Response} response
 */
export function negotiated(request, response) {
  const { status } = response;
  const varies = [200, 206].includes(status) && isText(response.headers.get("Content-Type") ?? "");
  if (!varies && status !== 304) return response;
  const headers = new Headers(response.headers);
  headers.append("Vary", "Accept-Encoding");
  const isCompressed = status === 200 && acceptsGzip(request.headers.get("Accept-Encoding")) && !isShort(headers);
  if (!isCompressed) return new Response(response.body, { status, headers });
  headers.delete("Content-Length");
  headers.set("Content-Encoding", "gzip");
  return new Response(response.body?.pipeThrough(new CompressionStream("gzip")), { status, headers });
}

/** @param {Headers} headers */
function isShort(headers) {
  const length = headers.get("Content-Length");
  return length !== null && Number(length) < SMALLEST || headers.has("Content-Encoding");
}

/**
 * Whether a header has gzip, or any coding, with a weight above zero (RFC 9110, 12.5.3).
 * @param {string | null} acceptEncoding
 */
export function acceptsGzip(acceptEncoding) {
  const weights = new Map(
    (acceptEncoding ?? "").toLowerCase().split(",").map((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
  return weights.get("gzip") ?? weights.get("*") ?? false;
}
