// The settings in solc's metadata against those that the release writes for its input.

import TABLE from "../../model/solc_settings.json" with { type: "json" };
import { asList, asObject, asText, at, isObject, isSince, sameJson, versionNumber } from "./values.js";

const GROUPS = ["optimizer", "metadata", "debug"];
const NEWEST = Object.keys(TABLE).at(-1);

/** How a release writes settings: the changes of all that are not newer; for a version before the table, the first. */
const releaseAt = (version) =>
  Object.assign(
    {},
    ...Object.entries(TABLE).filter(([first], place) => !place || isSince(version, first)).map(([, row]) => row),
  );

/** The names of the settings in which metadata and input differ. */
export function settingDifferences(metadata, given, version) {
  const isNewer = versionNumber(version) > versionNumber(NEWEST);
  const found = differences(metadata, given, releaseAt(version));
  if (isNewer) return found.filter((name) => !mayBeNew(name, metadata, given));
  // a build before a release is like that release, or like the one before it
  const later = differences(metadata, given, releaseAt(version.replace(/[-+].*/s, "")));
  return later.length < found.length ? later : found;
}

/** Whether a release that is not known here may explain a difference. */
function mayBeNew(name, ...settings) {
  const [group] = name.split(".");
  if (group === "evmVersion") return !Object.hasOwn(settings[1], group);
  if (group === "optimizer") return settings.some((one) => at(one, group, "details") !== undefined);
  const { always, unless_default } = releaseAt(NEWEST);
  return ![...Object.keys({ ...always, ...unless_default }), "libraries", "remappings"].includes(name);
}

function differences(metadata, given, release) {
  const [own, derived] = [flat(metadata), flat(written(given, release))];
  const names = Object.keys({ ...own, ...derived });
  return [
    ...names.filter((name) => !sameJson(own[name], derived[name])),
    ...Object.keys(given).filter((name) =>
      release.known?.includes(name) === false || GROUPS.includes(name) && !isObject(given[name])
    ),
  ];
}

/** Settings by name, those in groups as `group.setting`. */
const flat = ({ compilationTarget: _, ...settings }) =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => {
      if (GROUPS.includes(name) && isObject(value)) {
        return Object.entries(value).map(([member, held]) => [`${name}.${member}`, held]);
      }
      if (name === "remappings") return [[name, remappingsOf(value)]];
      return [[name, name === "libraries" ? lowerCased(asObject(value)) : value]];
    }),
  );

const lowerCased = (libraries) =>
  Object.fromEntries(Object.entries(libraries).map(([name, address]) => [name, asText(address).toLowerCase()]));

/** The settings that metadata has for an input. */
function written(given, release) {
  const { always, unless_default, library_paths } = release;
  const settings = {
    optimizer: optimizerOf(given.optimizer, release),
    libraries: librariesWritten(given.libraries, library_paths),
    remappings: remappingsOf(given.remappings),
  };
  for (const [name, absent] of Object.entries({ ...always, ...unless_default })) {
    const value = at(given, ...name.split(".")) ?? absent;
    if (name in always || !sameJson(value, absent)) settings[name] = value;
  }
  return settings;
}

function optimizerOf(given, release) {
  if (!isObject(given)) return { enabled: false, runs: 200 };
  const { enabled = null } = given;
  let runs = enabled === null && release.runs_need_enabled ? 200 : given.runs ?? 200;
  if (Number.isInteger(runs) && release.runs_modulo && runs > 0) runs %= release.runs_modulo;
  if (!release.details) return { enabled: Boolean(enabled), runs };
  const details = detailsOf(enabled, asObject(given.details), release);
  const preset = [false, true].find((one) => sameJson(details, detailsOf(one, {}, release)));
  return preset === undefined ? { details, runs } : { enabled: preset, runs };
}

function detailsOf(enabled, { yulDetails, ...given }, release) {
  const column = enabled === null ? 0 : enabled ? 2 : 1;
  const presets = Object.entries(release.details).map(([name, values]) => [name, values[column]]);
  const details = { ...Object.fromEntries(presets), ...given };
  const own = { ...asObject(yulDetails) };
  if (typeof own.optimizerSteps === "string" && !own.optimizerSteps.includes(":")) {
    own.optimizerSteps += release.cleanup;
  }
  if (details.yul) details.yulDetails = { ...release.yul_details, ...own };
  else if (Object.keys(own).length || release.empty_yul_details) details.yulDetails = own;
  return details;
}

/** Addresses by library; without paths, the last path in order decides. */
const librariesWritten = (given, hasPaths) =>
  Object.fromEntries(
    Object.entries(asObject(given)).sort(([one], [other]) => one < other ? -1 : 1).flatMap(([path, held]) =>
      Object.entries(asObject(held)).map(([name, address]) => [
        hasPaths ? `${path}:${name}` : name,
        `0x${asText(address).toLowerCase().replace(/^0x/, "")}`,
      ])
    ),
  );

/** Remappings, sorted, each with the colon of its context (`a=b` is `:a=b`). */
function remappingsOf(given) {
  if (!Array.isArray(given)) return given ?? [];
  const texts = asList(given).map(asText).filter((text) => text.includes("="));
  return [...new Set(texts.map((text) => /^[^=]*:/.test(text) ? text : `:${text}`))].sort();
}
