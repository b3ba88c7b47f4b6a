// The status in a banner or a badge: asked of the site that this script is of, and again every minute.
(() => {
  const root = new URL("../", document.currentScript.src);
  const box = document.querySelector("[data-embed]");
  const kind = box.dataset.embed;
  const theme = new URLSearchParams(location.search).get("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  const say = (part, text) => {
    const place = document.querySelector(`[data-${part}]`);
    if (place) place.textContent = text;
  };
  const post = (action) => {
    if (parent !== window) parent.postMessage({ action }, "*");
  };
  const store = (text) => {
    try {
      if (text === undefined) return sessionStorage.getItem("dismissed");
      sessionStorage.setItem("dismissed", text);
    } catch {
      // another origin's page may keep frames from storing
    }
    return null;
  };
  let present = "";

  function banner({ status, incidents, scheduled_maintenances: windows }) {
    const active = windows.filter((window) => window.status !== "scheduled");
    const record = incidents[0] || active[0];
    present = record ? record.id : status.indicator;
    say("name", record ? record.name : status.description);
    say("description", record ? status.description : "");
    const calm = status.indicator === "none" && !record;
    post(calm || store() === present ? "dismissFrame" : "showFrame");
  }

  async function ask() {
    try {
      const response = await fetch(new URL("api/v2/summary.json", root));
      const summary = await response.json();
      box.dataset.state = summary.status.indicator;
      say("status", summary.status.description);
      if (kind === "banner") banner(summary);
    } catch {
      box.dataset.state = "unknown";
    }
  }

  const close = document.querySelector("[data-close]");
  if (close) {
    close.addEventListener("click", () => {
      store(present);
      post("dismissFrame");
    });
  }
  ask();
  setInterval(ask, 60000);
})();
