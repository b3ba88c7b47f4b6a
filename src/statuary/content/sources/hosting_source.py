"""`hosting` in `site.yaml`: what the site holds for the hosts that serve it."""

from statuary.content.source_model import SourceModel
from statuary.domain.hosting_settings import CompressedFormat, HostingPlatform, HostingSettings, PathLayout


class HostingSource(SourceModel):
    """What the site holds for its hosts; nothing unless it is said."""

    files: tuple[HostingPlatform, ...] = ()
    """Hosts whose own files are part of the site: `netlify`, `cloudflare`, `github-pages`."""
    layout: PathLayout = PathLayout.PLAIN
    """`sharded`: contracts lie in folders by the first two digits of their address, for Netlify's limit of 54,000
    files in a folder."""
    precompressed: tuple[CompressedFormat, ...] = ()
    """Compressed forms of documents that lie beside them: `gz`, `br`, `zst`, for nginx and Caddy."""

    def settings(self) -> HostingSettings:
        """Return the settings."""
        return HostingSettings(files=self.files, layout=self.layout, precompressed=self.precompressed)
