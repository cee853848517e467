# Bender Lab for a class or a public space; docs/hosting.md says how many users a machine serves, and what to set.
# docker build -t bender-lab . && docker run --init -p 8501:8501 -v bender-data:/home/lab/data bender-lab
FROM python:3.13-slim

RUN useradd --create-home --uid 1000 lab
WORKDIR /home/lab/bender-lab
COPY requirements.txt .
# Tests of packages are an eighth of the image. One stage is enough: all packages come as wheels, so nothing is built.
RUN pip install --no-cache-dir -r requirements.txt \
    && find /usr/local/lib/python3.13/site-packages -depth -type d -name tests -exec rm -r {} +
# What .dockerignore lets through. Compiled here, as the user may not write beside the code.
COPY . .
RUN python -m compileall -q .

USER lab
# Of a session's runs: a public space has many sessions.
ENV BENDER_DATA_DIR=/home/lab/data BENDER_MEMORY_MB=256
# Created here so that a volume mounted over it belongs to the user. The code compiled here serves machines of this kind;
# others compile again when they start.
RUN mkdir /home/lab/data && python -m bender_core warm-up
VOLUME /home/lab/data

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import os, urllib.request; base = os.environ.get('STREAMLIT_SERVER_BASE_URL_PATH', '').strip('/'); urllib.request.urlopen('http://localhost:8501/' + '/'.join(filter(None, [base, '_stcore/health'])), timeout=4)"]
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true"]
