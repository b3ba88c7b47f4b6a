// @ts-check
/** The headers of the site's files: the URL table, as `tests/support/edge_table.py` writes it. */

/** @type {Record<string, string>} */
const COMMON_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** @type {Record<string, string>} */
const FRAMED_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; form-action 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** @type {Record<string, string>} */
const MEDIA_TYPES = {
  "atom": "application/atom+xml; charset=utf-8",
  "css": "text/css; charset=utf-8",
  "html": "text/html; charset=utf-8",
  "ico": "image/x-icon",
  "ics": "text/calendar; charset=utf-8",
  "jpg": "image/jpeg",
  "js": "text/javascript; charset=utf-8",
  "json": "application/json; charset=utf-8",
  "jsonl": "application/jsonl; charset=utf-8",
  "md": "text/markdown; charset=utf-8",
  "png": "image/png",
  "rss": "application/rss+xml; charset=utf-8",
  "svg": "image/svg+xml; charset=utf-8",
  "txt": "text/plain; charset=utf-8",
  "webmanifest": "application/manifest+json",
  "webp": "image/webp",
  "woff2": "font/woff2",
  "xml": "application/xml; charset=utf-8",
};

const FEED = "feed.json";
const FEED_TYPE = "application/feed+json; charset=utf-8";
const OCTET_STREAM = "application/octet-stream";
const SHORT_LIVED = "public, max-age=30";
const REVALIDATE = "public, max-age=0, must-revalidate";

const TIMED = [
  /^\/api\/v2\/summary\.json$/,
  /^\/api\/v2\/status\.json$/,
  /^\/api\/v2\/components\.json$/,
  /^\/api\/v2\/incidents\.json$/,
  /^\/api\/v2\/incidents\/unresolved\.json$/,
  /^\/incidents\/[^\/]+\.json$/,
  /^\/api\/v2\/scheduled-maintenances\.json$/,
  /^\/api\/v2\/scheduled-maintenances\/upcoming\.json$/,
  /^\/api\/v2\/scheduled-maintenances\/active\.json$/,
  /^\/api\/v2\/history\.json$/,
  /^\/api\/v2\/history\/[^\/]+\.json$/,
  /^\/api\/v2\/uptime\.json$/,
  /^\/api\/v2\/uptime\.schema\.json$/,
  /^\/api\/v2\/_epochs\/index\.json$/,
  /^\/api\/v2\/_epochs\/[^\/]+\/.+\.patch\.json$/,
  /^\/history\.atom$/,
  /^\/history\.rss$/,
  /^\/feed\.json$/,
  /^\/components\/[^\/]+\/history\.atom$/,
  /^\/maintenances\.ics$/,
  /^\/badge\.svg$/,
  /^\/badge\.json$/,
  /^\/components\/[^\/]+\/badge\.svg$/,
  /^\/components\/[^\/]+\/badge\.json$/,
  /^\/changes\.json$/,
  /^\/(?:index\.html)?$/,
  /^\/incidents\/[^\/]+(?:\.html)?$/,
  /^\/history(?:\.html)?$/,
  /^\/history\/[^\/]+(?:\.html)?$/,
  /^\/uptime(?:\.html)?$/,
  /^\/notifications\/[^\/]+\.json$/,
  /^\/de\/(?:index\.html)?$/,
  /^\/de\/.+(?:\.html)?$/,
  /^\/de\/.+\.atom$/,
  /^\/de\/.+\.rss$/,
  /^\/de\/feed\.json$/,
  /^\/de\/maintenances\.ics$/,
  /^\/en\/(?:index\.html)?$/,
  /^\/en\/.+(?:\.html)?$/,
  /^\/en\/.+\.atom$/,
  /^\/en\/.+\.rss$/,
  /^\/en\/feed\.json$/,
  /^\/en\/maintenances\.ics$/,
  /^\/es\/(?:index\.html)?$/,
  /^\/es\/.+(?:\.html)?$/,
  /^\/es\/.+\.atom$/,
  /^\/es\/.+\.rss$/,
  /^\/es\/feed\.json$/,
  /^\/es\/maintenances\.ics$/,
  /^\/fr\/(?:index\.html)?$/,
  /^\/fr\/.+(?:\.html)?$/,
  /^\/fr\/.+\.atom$/,
  /^\/fr\/.+\.rss$/,
  /^\/fr\/feed\.json$/,
  /^\/fr\/maintenances\.ics$/,
  /^\/ja\/(?:index\.html)?$/,
  /^\/ja\/.+(?:\.html)?$/,
  /^\/ja\/.+\.atom$/,
  /^\/ja\/.+\.rss$/,
  /^\/ja\/feed\.json$/,
  /^\/ja\/maintenances\.ics$/,
  /^\/pt\/(?:index\.html)?$/,
  /^\/pt\/.+(?:\.html)?$/,
  /^\/pt\/.+\.atom$/,
  /^\/pt\/.+\.rss$/,
  /^\/pt\/feed\.json$/,
  /^\/pt\/maintenances\.ics$/,
  /^\/zh\/(?:index\.html)?$/,
  /^\/zh\/.+(?:\.html)?$/,
  /^\/zh\/.+\.atom$/,
  /^\/zh\/.+\.rss$/,
  /^\/zh\/feed\.json$/,
  /^\/zh\/maintenances\.ics$/,
  /^\/summary\.json$/,
  /^\/v2\/components\.json$/,
  /^\/metrics\.txt$/,
  /^\/banner\.json$/,
];

const FRAMED = [/^\/embed\/frame(?:\.html)?$/, /^\/badge(?:\.html)?$/];

/**
 * The headers of a file, by its path below the site's root.
 * @param {string} path
 */
export function headersOf(path) {
  // later instants have the headers of the present one
  const present = path.replace(/^api\/v2\/_epochs\/[^/]+\//, "");
  const [, extension = "json"] = /\.([a-z0-9]+)$/.exec(present) ?? [];
  const type = present === FEED ? FEED_TYPE : MEDIA_TYPES[extension] ?? OCTET_STREAM;
  const cache = present !== path || TIMED.some((shape) => shape.test(`/${present}`)) ? SHORT_LIVED : REVALIDATE;
  const common = FRAMED.some((shape) => shape.test(`/${present}`)) ? FRAMED_HEADERS : COMMON_HEADERS;
  return { ...common, "Content-Type": type, "Cache-Control": cache };
}
