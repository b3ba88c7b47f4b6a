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

  function banner({ state, headline, record }) {
    present = record ? record.id : state;
    say("name", record ? record.name : headline);
    say("description", record ? headline : "");
    const calm = (state === "ok" || state === "none") && !record;
    post(calm || store() === present ? "dismissFrame" : "showFrame");
  }

  async function ask() {
    try {
      const response = await fetch(new URL("banner.json", root));
      const now = await response.json();
      box.dataset.state = now.state;
      say("status", now.headline);
      if (kind === "banner") banner(now);
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
