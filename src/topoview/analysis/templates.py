"""Pages made of the templates in ``resources/html``."""

from topoview.resources import resource


def render(template: str, **values: object) -> str:
    """Fill a template in.

    Parameters
    ----------
    template
        Name of its file. Templates are Jinja's; what stands in ``values`` is text
        and is escaped.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(resource("html")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(values)
